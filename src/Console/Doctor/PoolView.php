<?php

declare(strict_types=1);

namespace Headroom\Console\Doctor;

use Closure;
use Headroom\Core\Clock;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\Status\PoolProcess;
use Headroom\Doctor\Fpm\Status\PoolStatus;
use Headroom\Doctor\Fpm\Status\ProcessState;
use Headroom\Doctor\Kernel\Sockets\AcceptQueue;
use Headroom\Doctor\UnderLoad\Profile\BusyPage;
use Headroom\Doctor\UnderLoad\Waits\ProcessWaits;
use Headroom\Doctor\UnderLoad\Waits\Wait;
use Headroom\Doctor\UnderLoad\Waits\WaitKind;
use Headroom\Doctor\UnderLoad\Waits\WaitSummary;
use Headroom\Report\Format;
use Headroom\Support\TerminalText;
use Headroom\Support\Utf8Cut;

/**
 * A pool at one moment, as top shows it.
 *
 * @internal
 */
final readonly class PoolView
{
    /** Names of styles by the lines that have them. */
    public const STYLES = [
        '/^pool .*: [1-9]\d*( of \d+)? wait/' => 'high',
        '/^pool /' => 'heading',
        '/^    \S*headroom\S* /' => 'command',
    ];

    private const MAX_REQUESTS = 5;

    private const WIDTH = 79;

    /** Width of the column that shows what a process waits for. */
    private const COLUMN = 20;

    /**
     * @param string $key identifies the pool and its PHP-FPM master
     * @param PoolStatus|string $status or the reason why it is unknown
     * @param AcceptQueue|string $queue or the reason why it is unknown
     * @param ?int $memoryBytes of all its processes, shared memory counted once
     * @param list<Wait> $waits of its processes
     * @param Closure(): string $site
     */
    private function __construct(
        public string $key,
        private string $name,
        private string $manager,
        private string $most,
        private PoolStatus|string $status,
        private AcceptQueue|string $queue,
        private ?int $memoryBytes,
        private array $waits,
        private int $nanos,
        private Closure $site,
    ) {}

    /**
     * @param Closure(FpmPool): string $site scheme, host and port of the pool's pages, called only if they are shown
     */
    public static function of(FpmPool $pool, Clock $clock, ProcessWaits $waits, Closure $site): self
    {
        return new self(
            "{$pool->master->pid} {$pool->name()}",
            $pool->name(),
            $pool->settings->text('pm') ?? '?',
            $pool->settings->text('pm.max_children') ?? '?',
            self::orReason(static fn (): PoolStatus => $pool->status()),
            self::orReason(static fn (): AcceptQueue => $pool->queue()),
            self::bytes($pool),
            $waits->of($pool->master->children()[$pool->name()] ?? []),
            $clock->monotonicNanos(),
            static fn (): string => $site($pool),
        );
    }

    /** @return list<string> */
    public function lines(?self $before): array
    {
        $waiting = $this->queue instanceof AcceptQueue
            ? $this->queue->waiting.($this->queue->limit === null ? '' : " of {$this->queue->limit}").' wait'
            : 'the number of waiting requests is unknown';
        $head = "pool {$this->name} ({$this->manager}, {$this->most} at most): {$waiting}"
            .($this->memoryBytes === null ? '' : ', '.Format::bytes($this->memoryBytes)).$this->rate($before);
        $lines = [$head];

        if ($this->queue instanceof AcceptQueue === false) {
            $lines[] = "  {$this->queue}";
        }

        if ($this->status instanceof PoolStatus === false) {
            return self::cut([
                ...$lines, "  {$this->status}", ...self::wrapped((new WaitSummary($this->waits))->lines()), '',
            ]);
        }

        // The states already count the idle processes.
        $lines = [
            ...$lines,
            '  '.$this->states($this->status),
            ...self::wrapped((new WaitSummary($this->waits))->without(WaitKind::Idle)->lines()),
        ];
        $waits = array_column($this->waits, null, 'pid');
        $at = array_values(array_filter(
            $this->status->processes ?? [],
            static fn (PoolProcess $process): bool => $process->state === ProcessState::Running
                && $process->durationMicros !== null,
        ));
        usort($at, static fn (PoolProcess $a, PoolProcess $b): int => $b->durationMicros <=> $a->durationMicros);

        foreach (array_slice($at, 0, self::MAX_REQUESTS) as $process) {
            $lines[] = sprintf(
                '  %8.1f s  pid %-7d %s %s %s',
                ($process->durationMicros ?? 0) / 1e6,
                $process->pid,
                Utf8Cut::fit(str_pad(self::shortly($waits[$process->pid] ?? null), self::COLUMN), self::COLUMN),
                $process->method ?? '',
                in_array($process->uri, [null, '', '-'], true) ? $process->script ?? '' : $process->uri,
            );
        }

        return [...self::cut($lines), ...$this->functions($this->status), ''];
    }

    /**
     * @return list<string> if most processes use a CPU, the command that profiles them, uncut so that it can be copied
     */
    private function functions(PoolStatus $status): array
    {
        $busy = array_filter($this->waits, static fn (Wait $wait): bool => $wait->kind !== WaitKind::Idle);
        $working = array_filter($busy, static fn (Wait $wait): bool => $wait->kind === WaitKind::Working);

        return count($working) < max(2, count($busy) / 2) ? [] : [
            '  To see which PHP functions use the CPUs, run:',
            '    '.TerminalText::line((new BusyPage($status->processes ?? [], ($this->site)()))->command()),
        ];
    }

    private function states(PoolStatus $status): string
    {
        $counts = array_count_values(array_map(
            static fn (PoolProcess $process): string
                => $process->state === ProcessState::Unknown ? 'unknown' : strtolower($process->state->value),
            $status->processes ?? [],
        ));
        ksort($counts);

        return $counts === []
            ? sprintf('%d active, %d idle', $status->activeProcesses ?? 0, $status->idleProcesses ?? 0)
            : implode(
                ', ',
                array_map(
                    static fn (string $state, int $count): string => "{$count} {$state}",
                    array_keys($counts),
                    $counts,
                ),
            );
    }

    /** The server that the process waits for, or what the process does. */
    private static function shortly(?Wait $wait): string
    {
        return match ($wait?->kind) {
            null, WaitKind::Unknown => '?',
            WaitKind::Reply, WaitKind::Sending => $wait->peer->service ?? $wait->peer->address ?? '?',
            WaitKind::Connecting => 'connects '.($wait->peer->service ?? $wait->peer->address ?? ''),
            default => $wait->kind->value,
        };
    }

    private function rate(?self $before): string
    {
        if (
            ! $before?->status instanceof PoolStatus
            || ! $this->status instanceof PoolStatus
            || $before->status->acceptedConnections === null
            || $this->status->acceptedConnections === null
        ) {
            return '';
        }

        $seconds = max(0.001, ($this->nanos - $before->nanos) / 1e9);

        return ', '
            .Format::rate(max(0, $this->status->acceptedConnections - $before->status->acceptedConnections) / $seconds);
    }

    /**
     * @template T of object
     *
     * @param Closure(): T $ask
     * @return T|string
     */
    private static function orReason(Closure $ask): object|string
    {
        try {
            return $ask();
        } catch (FactUnavailable $e) {
            return $e->getMessage();
        }
    }

    private static function bytes(FpmPool $pool): ?int
    {
        try {
            $bytes = $pool->memory()->sumPssBytes();

            return $bytes > 0 ? $bytes : null;
        } catch (FactUnavailable) {
            return null;
        }
    }

    /**
     * @param list<string> $lines
     * @return list<string> wrapped and not cut, since a line may end with a command
     */
    private static function wrapped(array $lines): array
    {
        return array_merge(
            [],
            ...array_map(
                static fn (string $line): array => explode("\n", wordwrap("  {$line}", self::WIDTH - 4, "\n    ")),
                $lines,
            ),
        );
    }

    /**
     * @param list<string> $lines
     * @return list<string>
     */
    private static function cut(array $lines): array
    {
        return array_map(
            static fn (string $line): string => Utf8Cut::fit(TerminalText::line($line), self::WIDTH),
            $lines,
        );
    }
}
