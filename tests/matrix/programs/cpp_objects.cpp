/* SPDX-License-Identifier: MIT */
/* Constructors, destructors, virtual functions, lambdas; exceptions out of some of them; what runs before and after
 * main. */
#include "cpp_program.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <vector>

KEPT static int leaf(int x)
{
	ENTER;
	return x + 1;
}

struct member {
	int number;
	KEPT explicit member(int number) : number(number)
	{
		ENTER_AS("member::member");
		if (number == 3)
			throw failure{ number };
	}
	KEPT ~member()
	{
		ENTER_AS("member::~member");
		leaf(number);
	}
};

/* As the first base: announces the ends of a constructor that does not get to its body's end, and of a destructor,
 * where bases and members are destroyed after its body. */
struct announced_scope {
	unsigned node;
	bool open;
	UNSEEN __attribute__((always_inline)) announced_scope(const char *name, const void *cfa)
	    : node(announce_enter(name, cfa)), open(true)
	{
	}
	UNSEEN __attribute__((always_inline)) void end()
	{
		open = false;
		announce_leave(&node);
	}
	UNSEEN __attribute__((always_inline)) void begin(const char *name, const void *cfa)
	{
		node = announce_enter(name, cfa);
		open = true;
	}
	UNSEEN __attribute__((always_inline)) ~announced_scope()
	{
		if (open)
			announce_leave(&node);
	}
};

struct whole : announced_scope {
	member first, second;
	KEPT whole(int a, int b) : announced_scope("whole::whole", ANNOUNCE_CFA), first(a), second(b)
	{
		leaf(a + b);
		end();
	}
	KEPT ~whole()
	{
		begin("whole::~whole", ANNOUNCE_CFA);
	}
};

KEPT static int constructs(int a, int b)
{
	ENTER;
	try {
		whole one(a, b);
		return leaf(one.first.number);
	} catch (const failure &caught) {
		return leaf(caught.code);
	}
}

struct shape {
	int size;
	KEPT explicit shape(int size) : size(size)
	{
		ENTER_AS("shape::shape");
	}
	KEPT virtual ~shape()
	{
		ENTER_AS("shape::~shape");
		leaf(size);
	}
	virtual int area() const = 0;
	KEPT virtual int scaled(int by) const
	{
		ENTER_AS("shape::scaled");
		return by * area();
	}
};

struct named {
	KEPT named()
	{
		ENTER_AS("named::named");
	}
	KEPT virtual ~named()
	{
		ENTER_AS("named::~named");
	}
	KEPT virtual int name() const
	{
		ENTER_AS("named::name");
		return 0;
	}
};

struct square : announced_scope, shape, named {
	KEPT explicit square(int size) : announced_scope("square::square", ANNOUNCE_CFA), shape(size)
	{
		end();
	}
	KEPT ~square() override
	{
		begin("square::~square", ANNOUNCE_CFA);
		leaf(1);
	}
	KEPT int area() const override
	{
		ENTER_AS("square::area");
		return leaf(size * size);
	}
	/* Reached through a thunk. */
	KEPT int name() const override
	{
		ENTER_AS("square::name");
		return size;
	}
};

KEPT static int use_virtual(const shape &one, const named *other)
{
	ENTER;
	return one.scaled(3) + other->name();
}

KEPT static int apply(const std::function<int(int)> &function, int x)
{
	ENTER;
	return function(x) + function(x + 1);
}

KEPT static int lambdas(int x)
{
	ENTER;
	std::vector<int> numbers = { 4, 1, 3 };
	int calls = 0;

	std::sort(
	    numbers.begin(), numbers.end(), [&calls](int a, int b) __attribute__((noinline)) {
		    ENTER_AS("lambda");
		    calls++;
		    return leaf(a) > leaf(b);
	    });
	return 100 * numbers[0] + 10 * numbers[1] + numbers[2] + 1000 * calls +
	       apply(
		   [x](int y) __attribute__((noinline)) {
			   ENTER_AS("lambda");
			   return leaf(x * y);
		   },
		   x);
}

KEPT static int throws_in_lambda()
{
	ENTER;
	try {
		return apply(
		    [](int y) __attribute__((noinline))->int {
			    ENTER_AS("lambda");
			    throw failure{ leaf(y) };
		    },
		    4);
	} catch (const failure &caught) {
		return leaf(caught.code);
	}
}

KEPT static int before_main()
{
	ENTER;
	try {
		across_throws(1);
	} catch (const failure &caught) {
		return leaf(caught.code);
	}
	return 0;
}

static const int initialised = before_main();

/* Made before main, destroyed after it. Its initialiser, which clang makes, catches nothing. */
struct global {
	KEPT global()
	{
		ENTER_AS("global::global");
		constructs(2, 3);
	}
	KEPT ~global()
	{
		ENTER_AS("global::~global");
		leaf(4);
	}
};
static global global_one;

KEPT static const member &local_static(int x)
{
	ENTER;
	static const member once(x); /* the first attempt throws */

	return once;
}

void throwing_objects_case()
{
	ENTER;
	printf("initialised %d\n", initialised);
	printf("constructs %d %d %d\n", constructs(1, 2), constructs(1, 3), constructs(3, 1));
	for (int i = 3; i < 6; i++) {
		try {
			printf("static %d\n", local_static(i).number);
		} catch (const failure &caught) {
			printf("static failed %d\n", leaf(caught.code));
		}
	}
}

void objects_case()
{
	ENTER;
	std::unique_ptr<square> one(new square(4));

	printf("virtual %d\n", use_virtual(*one, one.get()));
	one.reset();
	printf("lambdas %d %d\n", lambdas(3), throws_in_lambda());
}
