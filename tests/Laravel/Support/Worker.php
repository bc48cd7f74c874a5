<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support;

use Headroom\Core\SystemClock;
use Headroom\Process\Proc;
use Headroom\Process\Programs;
use RuntimeException;
use Symfony\Component\Process\Process;

/**
 * A real `spool:work` and the processes it consists of, as the kernel sees them.
 */
final class Worker
{
    private const PATIENCE_SECONDS = 30;

    private string $printed = '';

    /**
     * @var array<int, true> all processes that were ever seen, because the children of a dead parent cannot be listed
     */
    private array $seen = [];

    /** Null if it had ended before its id was read. */
    private readonly ?int $pid;

    private function __construct(private readonly Process $process)
    {
        $process->start();
        $this->pid = $process->getPid();
    }

    public static function start(ScratchApplication $app, string ...$arguments): self
    {
        return new self($app->process([
            Programs::php(), 'artisan', '--no-ansi', 'spool:work', ...array_values($arguments),
        ]));
    }

    public function pid(): int
    {
        return $this->pid ?? throw new RuntimeException("The worker has ended: {$this->output()}");
    }

    /** @return list<int> */
    public function children(): array
    {
        $children = $this->pid === null ? [] : array_keys((new Proc)->children($this->pid));
        $this->seen += array_fill_keys($children, true);

        return $children;
    }

    /** By the title that the process gives itself, which it may not have come to yet. */
    public function child(string $bucket): int
    {
        $found = [];
        $this->await(function () use ($bucket, &$found): bool {
            $found = array_values(array_filter(
                $this->children(),
                static fn (int $pid): bool
                    => str_starts_with(implode(' ', (new Proc)->commandLine($pid)), "spool:work {$bucket}"),
            ));

            return $found !== [];
        }, "had a process of bucket {$bucket}");

        return $found[0];
    }

    /** @return list<string> what a process has open, as the kernel names it */
    public static function openFiles(int $pid): array
    {
        $descriptors = @scandir("/proc/{$pid}/fd");

        return array_map(
            static fn (string $fd): string => (string) @readlink("/proc/{$pid}/fd/{$fd}"),
            $descriptors === false ? [] : $descriptors,
        );
    }

    public function output(): string
    {
        return $this->printed .= $this->process->getIncrementalOutput().$this->process->getIncrementalErrorOutput();
    }

    public function awaitPrinted(string $text, int $times = 1): void
    {
        $this->await(fn (): bool => substr_count($this->output(), $text) >= $times, "printed {$text}");
    }

    /** @param string $pattern of a whole line */
    public function awaitLine(string $pattern): void
    {
        $this->await(fn (): bool => preg_match("/^{$pattern}$/m", $this->output()) === 1, "printed {$pattern}");
    }

    public function awaitChildren(int $count): void
    {
        $this->await(fn (): bool => count($this->children()) === $count, "had {$count} children");
    }

    /** @param callable(): bool $isMet */
    public function await(callable $isMet, string $what): void
    {
        $clock = new SystemClock;
        $deadline = $clock->monotonicNanos() + self::PATIENCE_SECONDS * 1_000_000_000;

        while (! $isMet()) {
            if ($clock->monotonicNanos() > $deadline) {
                throw new RuntimeException("The worker never {$what}: {$this->output()}");
            }

            $clock->sleep(2000);
        }
    }

    public function signal(int $signal): void
    {
        $this->process->signal($signal);
    }

    public function exitCode(): int
    {
        $this->await(fn (): bool => ! $this->process->isRunning(), 'ended');

        return (int) $this->process->getExitCode();
    }

    public function remove(): void
    {
        $this->children();

        foreach ([...array_keys($this->seen), ...($this->pid === null ? [] : [$this->pid])] as $pid) {
            // The number may be another one's by now.
            if ($pid === $this->pid || str_starts_with(implode(' ', (new Proc)->commandLine($pid)), 'spool:work')) {
                posix_kill($pid, SIGKILL);
            }
        }

        $this->process->stop(0);
    }
}
