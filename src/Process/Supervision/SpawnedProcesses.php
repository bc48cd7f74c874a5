<?php

declare(strict_types=1);

namespace Headroom\Process\Supervision;

use Headroom\Process\Proc;
use Headroom\Process\UnableToStart;
use Headroom\Support\FileOperation;

/**
 * Programs that this process starts. Each finds its end of the channel at descriptor 4.
 *
 * @internal
 */
final class SpawnedProcesses implements ProcessControl
{
    /** @var array<int, array{resource, Channel}> by pid */
    private array $running = [];

    /** @var array<int, ProcessExit> by pid; before PHP 8.3 only the first call after the exit returns the exit code */
    private array $exited = [];

    /**
     * @param list<string> $command
     * @param array<int, resource> $descriptors of the program, as for proc_open(); by default its output
     *     goes where that of this process goes
     *
     * @throws UnableToStart
     */
    public function start(
        string $name,
        array $command,
        ?string $directory = null,
        array $descriptors = [],
    ): ProcessHandle {
        $reason = '';
        // Descriptors 1 and 2 are inherited. PHP seeks a stream that the list names: a log file would be overwritten.
        $descriptors += [0 => ['file', '/dev/null', 'r'], Channel::DESCRIPTOR => ['socket']];
        $descriptors += array_fill_keys(self::inheritable($descriptors), ['file', '/dev/null', 'r']);
        $env = [...getenv(), Channel::VARIABLE => (string) Channel::DESCRIPTOR];
        $process = FileOperation::run(static function () use ($command, $directory, $descriptors, $env, &$streams) {
            return proc_open($command, $descriptors, $streams, $directory, $env);
        }, $reason);
        $stream = is_array($streams) ? $streams[Channel::DESCRIPTOR] ?? null : null;

        if ($process === false || ! is_resource($stream)) {
            throw UnableToStart::process($name, $reason);
        }

        $channel = Channel::over($stream);
        $status = proc_get_status($process);
        $pid = $status['pid'];
        $this->running[$pid] = [$process, $channel];

        if (! $status['running']) {
            $this->exited[$pid] = self::exitOf($status);
        }

        return new ProcessHandle($pid, $channel, $this);
    }

    public function reap(int $pid): ?ProcessExit
    {
        [$process, $channel] = $this->running[$pid] ?? [null, null];

        if ($process === null || $channel === null) {
            return null;
        }

        $status = isset($this->exited[$pid]) ? null : proc_get_status($process);

        if ($status !== null && $status['running']) {
            return null;
        }

        $exit = $status === null ? $this->exited[$pid] : self::exitOf($status);
        // proc_close() closes the stream, and with it the last messages would be lost.
        $channel->close();
        proc_close($process);
        unset($this->running[$pid], $this->exited[$pid]);

        return $exit;
    }

    public function signal(int $pid, int $signal): void
    {
        if (isset($this->running[$pid])) {
            @proc_terminate($this->running[$pid][0], $signal);
        }
    }

    /**
     * Open descriptors of this process that the program must not inherit. exec() does not close the sockets of PHP, and
     * a program with the listening socket under another number would keep the port.
     *
     * @param array<int, mixed> $wanted
     * @return list<int>
     */
    public static function inheritable(array $wanted): array
    {
        $open = @scandir('/proc/self/fd');
        // A descriptor from before the limit was lowered cannot be replaced.
        $limit = (new Proc)->openFilesLimit((int) getmypid()) ?? PHP_INT_MAX;

        return array_values(array_map(intval(...), array_filter(
            $open === false ? [] : $open,
            static fn (string $descriptor): bool => ctype_digit($descriptor)
                && (int) $descriptor > 2
                && (int) $descriptor < $limit
                && ! isset($wanted[(int) $descriptor])
                // scandir() itself had the last one open.
                && @readlink("/proc/self/fd/{$descriptor}") !== false,
        )));
    }

    /** @param array{signaled: bool, exitcode: int, termsig: int, ...} $status */
    private static function exitOf(array $status): ProcessExit
    {
        return $status['signaled']
            ? ProcessExit::bySignal($status['termsig'])
            : ProcessExit::withCode($status['exitcode']);
    }
}
