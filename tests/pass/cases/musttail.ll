; Nothing may stand between a musttail call and its return; the hook goes before the call.
; RUN: %opt -S %s | %check
target triple = "x86_64-unknown-linux-gnu"

declare i32 @next(i32)

; CHECK-LABEL: define i32 @f(
; CHECK: call {{.*}}tee_perf_call
; CHECK: call {{.*}}tee_perf_return
; CHECK-NEXT: %r = musttail call i32 @next(i32 %x)
; CHECK-NEXT: ret i32 %r
define i32 @f(i32 %x) #0 {
  %r = musttail call i32 @next(i32 %x)
  ret i32 %r
}

; Two returns of which one block holds the tail call; the other keeps its own.
; CHECK-LABEL: define i32 @g(
; CHECK: a:
; CHECK: tee_perf_return
; CHECK-NEXT: tail call i32 @next
; CHECK-NEXT: ret
; CHECK: b:
; CHECK-NOT: tail call
; CHECK: tee_perf_return
; CHECK-NEXT: ret
define i32 @g(i32 %x) #0 {
  %c = icmp eq i32 %x, 0
  br i1 %c, label %a, label %b
a:
  %r = tail call i32 @next(i32 %x)
  br label %end
b:
  %s = add i32 %x, 3
  br label %end
end:
  %p = phi i32 [ %r, %a ], [ %s, %b ]
  ret i32 %p
}

; All ways end in tail calls: the shared return is gone.
; CHECK-LABEL: define i32 @h(
; CHECK-NOT: phi
; CHECK: tee_perf_return
; CHECK-NEXT: tail call i32 @next
; CHECK: tee_perf_return
; CHECK-NEXT: tail call i32 @f
; CHECK-NEXT: ret
; CHECK-NEXT: }
define i32 @h(i32 %x) #0 {
  %c = icmp eq i32 %x, 0
  br i1 %c, label %a, label %b
a:
  %r = tail call i32 @next(i32 %x)
  br label %end
b:
  %s = tail call i32 @f(i32 %x)
  br label %end
end:
  %p = phi i32 [ %r, %a ], [ %s, %b ]
  ret i32 %p
}

; Another convention than ours: the backend cannot jump.
; CHECK-LABEL: define i32 @other_convention(
; CHECK: tail call fastcc
; CHECK: tee_perf_return
declare fastcc i32 @fast(i32)
define i32 @other_convention(i32 %x) #0 {
  %r = tail call fastcc i32 @fast(i32 %x)
  ret i32 %r
}

attributes #0 = { "instrument-function-entry-inlined"="__cyg_profile_func_enter" "instrument-function-exit-inlined"="__cyg_profile_func_exit" }
