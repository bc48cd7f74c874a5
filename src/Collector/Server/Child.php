<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

use Headroom\Support\FileOperation;

/**
 * A process that the supervisor started, and the line to it: a socket pair, of which each side sees at
 * once when the other is gone.
 *
 * @internal
 */
final class Child implements ChildProcess
{
    /** Where the child finds its end of the line. */
    public const LINE = 4;

    /** Nobody who works says more than this between two looks. */
    private const MOST_UNREAD = 1_048_576;

    private string $unread = '';

    private ?string $end = null;

    /**
     * @param resource $process
     * @param ?resource $line null once the child has closed it
     */
    private function __construct(private $process, private $line, private readonly int $pid) {}

    /**
     * @param list<string> $command
     * @param array<int, resource> $sockets what the child is to find, by descriptor
     * @param array<string, string> $env besides this process's own
     *
     * @throws UnableToServe
     */
    public static function start(string $name, array $command, string $directory, array $sockets, array $env = []): self
    {
        $reason = '';
        // 1 and 2 are inherited. Naming STDOUT here would move the place where everybody writes, if it is a file.
        $ends = $sockets + [0 => ['file', '/dev/null', 'r'], self::LINE => ['socket']];

        foreach (self::others($ends) as $descriptor) {
            $ends[$descriptor] = ['file', '/dev/null', 'r'];
        }

        $process = FileOperation::run(static function () use ($command, $directory, $ends, $env, &$lines) {
            return proc_open($command, $ends, $lines, $directory, [...getenv(), ...$env]);
        }, $reason);
        $line = is_array($lines) ? $lines[self::LINE] ?? null : null;

        if ($process === false || ! is_resource($line)) {
            throw UnableToServe::notStarted($name, $reason);
        }

        stream_set_blocking($line, false);

        $status = proc_get_status($process);
        $child = new self($process, $line, $status['pid']);
        // Only who asks first is told how it ended, before PHP 8.3.
        $child->note($status);

        return $child;
    }

    /**
     * What this process has open and the child must not hold on: PHP's sockets are not closed by exec, and a child that
     * had the listening socket under another number would keep the port.
     *
     * @param array<int, mixed> $wanted
     * @return list<int>
     */
    private static function others(array $wanted): array
    {
        $open = @scandir('/proc/self/fd');
        $others = [];

        foreach ($open === false ? [] : $open as $descriptor) {
            // The last one is that of the directory itself.
            if (
                ctype_digit($descriptor)
                && (int) $descriptor > 2
                && ! isset($wanted[(int) $descriptor])
                && @readlink("/proc/self/fd/{$descriptor}") !== false
            ) {
                $others[] = (int) $descriptor;
            }
        }

        return $others;
    }

    public function pid(): int
    {
        return $this->pid;
    }

    public function line()
    {
        return $this->line;
    }

    public function hear(): array
    {
        $this->read();

        $lines = explode("\n", $this->unread);
        $this->unread = substr(array_pop($lines), 0, self::MOST_UNREAD);

        return $lines;
    }

    private function read(): void
    {
        while ($this->line !== null) {
            $read = @fread($this->line, 65_536);

            if ($read === false || $read === '') {
                if (feof($this->line)) {
                    fclose($this->line);
                    $this->line = null;
                }

                break;
            }

            $this->unread .= $read;
        }
    }

    public function tell(string $line): void
    {
        if ($this->line !== null) {
            // Who does not read for so long that it is full is killed for not beating.
            @fwrite($this->line, "{$line}\n");
        }
    }

    public function signal(int $signal): void
    {
        if ($this->end === null) {
            @proc_terminate($this->process, $signal);
        }
    }

    public function end(): ?string
    {
        if ($this->end !== null) {
            return $this->end;
        }

        $this->note(proc_get_status($this->process));

        return $this->end;
    }

    /** @param array{running: bool, signaled: bool, exitcode: int, termsig: int, ...} $status */
    private function note(array $status): void
    {
        if ($status['running']) {
            return;
        }

        // Its last words, whenever it is found to have ended: proc_close() closes the line as well.
        $this->read();
        $this->line = null;
        proc_close($this->process);

        $this->end = match (true) {
            $status['signaled'] => "was ended by signal {$status['termsig']}",
            $status['exitcode'] === 0 => self::DONE,
            default => "ended with exit code {$status['exitcode']}",
        };
    }
}
