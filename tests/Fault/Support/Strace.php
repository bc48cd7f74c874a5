<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Headroom\Tests\Support\MissingServer;
use RuntimeException;
use Symfony\Component\Process\ExecutableFinder;

/**
 * strace(1), attached to a process that stands still: what it calls from then on is listed, and one call can be made to
 * fail or to be the last.
 */
final class Strace
{
    /**
     * The system calls that change a file, a directory or a lock, and those that send to a database server. Between two
     * of them nothing changes outside the process, so a crash there is the same as a crash at the next call. A question
     * mark stands before a call that not every machine has.
     */
    private const CALLS = 'openat,write,pwrite64,?writev,close,?rename,renameat,?renameat2,?unlink,unlinkat,ftruncate,'
        .'?mkdir,mkdirat,?chmod,fchmod,fchmodat,?link,linkat,flock,fcntl,fsync,fdatasync,sendto';

    private const PATIENCE_SECONDS = 30;

    /**
     * @param resource $process
     * @param resource $errors
     */
    private function __construct(private $process, private $errors, private readonly string $log) {}

    /** Skips the test by name, or fails it where CI=true. */
    public static function orSkip(): void
    {
        $reason = self::missing();

        if ($reason === null) {
            return;
        }

        MissingServer::named('strace', $reason);
    }

    public static function missing(): ?string
    {
        if ((new ExecutableFinder)->find('strace') === null) {
            return 'strace is not installed, so no system call can be made to fail: bin/services install strace (as'
                .' root), or apt-get install strace';
        }

        // Not a child of strace, because the forks are not either: some kernels let only a parent or root attach.
        $sleep = proc_open(['sleep', '60'], [], $pipes);

        if ($sleep === false) {
            return 'No process could be started.';
        }

        $log = (string) tempnam(sys_get_temp_dir(), 'headroom-strace-');

        try {
            $strace = self::attach(proc_get_status($sleep)['pid'], $log);
            proc_terminate($sleep, SIGKILL);
            $strace->awaitEnd();

            return null;
        } catch (RuntimeException $e) {
            return "strace cannot be attached to a process here ({$e->getMessage()}); see kernel.yama.ptrace_scope.";
        } finally {
            proc_terminate($sleep, SIGKILL);
            proc_close($sleep);
            unlink($log);
        }
    }

    /**
     * @param string $log gets the list of calls
     * @param list<string> $injections SystemCall::with() makes them
     */
    public static function attach(int $pid, string $log, array $injections = []): self
    {
        $command = ['strace', '-f', '-yy', '-s', '16', '-o', $log, '-p', (string) $pid, '-e', 'trace='.self::CALLS];

        foreach ($injections as $injection) {
            array_push($command, '-e', "inject={$injection}");
        }

        $process = proc_open($command, [['file', '/dev/null', 'r'], ['file', '/dev/null', 'w'], ['pipe', 'w']], $pipes);

        if ($process === false) {
            throw new RuntimeException('strace could not be started.');
        }

        $strace = new self($process, $pipes[2], $log);
        $strace->awaitAttached();

        return $strace;
    }

    /** @return string its log */
    public function awaitEnd(): string
    {
        stream_get_contents($this->errors);
        fclose($this->errors);
        proc_close($this->process);

        return (string) file_get_contents($this->log);
    }

    /**
     * @param string $log of one process
     * @param list<string> $places a call that names none of these is not among the interesting ones
     * @return list<SystemCall>
     */
    public static function calls(string $log, array $places): array
    {
        [$calls, $times] = [[], []];

        foreach (explode("\n", $log) as $line) {
            if (preg_match('/^\d+ +(\w+)\((.*)$/', $line, $m) !== 1) {
                continue;
            }

            $time = $times[$m[1]] = ($times[$m[1]] ?? 0) + 1;

            foreach ($places as $place) {
                if (str_contains($line, $place) && ! str_contains($line, '.deliveries')) {
                    $calls[] = new SystemCall($m[1], $time, trim($m[2]));

                    break;
                }
            }
        }

        return $calls;
    }

    private function awaitAttached(): void
    {
        $readable = [$this->errors];
        [$none, $nor] = [null, null];
        $line = stream_select($readable, $none, $nor, self::PATIENCE_SECONDS) === 1
            ? (string) fgets($this->errors)
            : 'it said nothing';

        if (! str_contains($line, 'attached')) {
            proc_terminate($this->process, SIGKILL);
            proc_close($this->process);

            throw new RuntimeException(trim($line));
        }
    }
}
