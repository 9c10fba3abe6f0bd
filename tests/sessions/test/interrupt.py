# `sleave test` with these arguments gets SIGINT when the file waits.pid is there. Not by the shell, which would let a process in
# the background ignore the signal.
import os, signal, subprocess, sys, time

if os.path.exists("waits.pid"):
    os.remove("waits.pid")
p = subprocess.Popen(["sleave", "test"] + sys.argv[1:])
while not os.path.exists("waits.pid") and p.poll() is None:
    time.sleep(0.02)
p.send_signal(signal.SIGINT)
sys.exit(p.wait(60))
