; REQUIRES: llvm>=16
; Functions whose landing pads are not those of C or C++, and what must not become an invoke.
; RUN: %opt -S %s | %check
target triple = "x86_64-unknown-linux-gnu"

declare i32 @next(i32)
declare i32 @again() #1
declare i32 @__gxx_personality_v0(...)
declare i32 @foreign_personality(...)
declare i32 @__CxxFrameHandler3(...)

; CHECK-LABEL: define i32 @foreign(
; CHECK-NOT: invoke
; CHECK: ret i32
define i32 @foreign(i32 %x) #0 personality ptr @foreign_personality {
  %r = call i32 @next(i32 %x)
  %s = add i32 %r, 1
  ret i32 %s
}

; CHECK-LABEL: define i32 @funclets(
; CHECK-NOT: invoke
; CHECK: ret i32
define i32 @funclets(i32 %x) #0 personality ptr @__CxxFrameHandler3 {
  %r = call i32 @next(i32 %x)
  %s = add i32 %r, 1
  ret i32 %s
}

; CHECK-LABEL: define i32 @never(
; CHECK-NOT: invoke
; CHECK: ret i32
define i32 @never(i32 %x) #2 {
  %r = call i32 @next(i32 %x)
  %s = add i32 %r, 1
  ret i32 %s
}

; CHECK-LABEL: define i32 @special(
; CHECK: call i32 @again
; CHECK: call void asm sideeffect "nop"
; CHECK: call void @llvm.memset
; CHECK: invoke i32 @next(i32 %a)
; CHECK-NOT: invoke
; CHECK: resume
define i32 @special(ptr %p) #0 {
  %a = call i32 @again()
  call void asm sideeffect "nop", ""()
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 64, i1 false)
  %r = call i32 @next(i32 %a)
  ret i32 %r
}

; Its last catch takes what it names for granted: what has no selector goes another way.
; CHECK-LABEL: define void @granted(
; CHECK: %l = landingpad
; CHECK-NEXT: cleanup
; CHECK-NEXT: catch ptr @type
; CHECK-NEXT: [[S:%.*]] = extractvalue { ptr, i32 } %l, 1
; CHECK-NEXT: [[C:%.*]] = icmp eq i32 [[S]], 0
; CHECK-NEXT: br i1 [[C]], label %[[OUT:.*]], label
; CHECK: [[OUT]]:
; CHECK-NEXT: br label %tee_perf.leave
@type = external constant ptr
define void @granted() #0 personality ptr @__gxx_personality_v0 {
  %r = invoke i32 @next(i32 1) to label %end unwind label %pad
pad:
  %l = landingpad { ptr, i32 } catch ptr @type
  br label %end
end:
  ret void
}

declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
attributes #0 = { "instrument-function-entry-inlined"="__cyg_profile_func_enter" "instrument-function-exit-inlined"="__cyg_profile_func_exit" }
attributes #1 = { returns_twice }
attributes #2 = { nounwind "instrument-function-entry-inlined"="__cyg_profile_func_enter" "instrument-function-exit-inlined"="__cyg_profile_func_exit" }
