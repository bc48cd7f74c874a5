<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

use Closure;
use Headroom\Core\Clock;

/**
 * The processes of a collector: started, watched, replaced one after the other, ended. It decides only by what it is
 * shown at each look, so that a signal in the middle of one changes nothing.
 *
 * @internal
 */
final class WorkerPool
{
    private const BEAT_NANOS = 10_000_000_000;

    private const START_NANOS = 30_000_000_000;

    /** It never says that it is ready; what is wrong with its configuration has ended it by then. */
    private const FLUSHER_WORKS_NANOS = 3_000_000_000;

    /** @var list<string> names of posts that are to get a new process */
    private array $queue = [];

    /** How the last replacement of all went, in words; null before the first. */
    public ?string $reloaded = null;

    private bool $isReloading = false;

    private bool $isEnding = false;

    /** @var array<string, int> restarts so far, by reason */
    public array $restarts = [];

    /**
     * @param list<Post> $posts
     * @param Closure(Post): ChildProcess $start
     * @param Closure(string): void $say
     * @param int $drainNanos how long a worker may finish
     */
    public function __construct(
        public readonly array $posts,
        private readonly Closure $start,
        private readonly Closure $say,
        private readonly Clock $clock,
        private readonly int $drainNanos,
    ) {}

    /** One look at everybody. */
    public function look(): void
    {
        foreach ($this->posts as $post) {
            $now = $this->clock->monotonicNanos();

            foreach ($post->hands() as $hand) {
                $hand->listen($now);
            }

            $this->judge($post, $now);
            $this->bury($post, $now);
            $this->promote($post, $now);

            if (! $this->isEnding && $post->isVacant($now)) {
                $this->fill($post);
            }

            if (
                $post->working?->wish !== null
                && ! $post->isBeingReplaced()
                && ! in_array($post->name, $this->queue, true)
                && ! $this->isEnding
            ) {
                ($this->say)("{$post->name} is replaced: {$post->working->wish}");
                $this->queue[] = $post->name;
            }
        }

        $this->replaceNext();
    }

    /** New processes for all, one after the other, each taking over before its predecessor leaves. */
    public function reload(): void
    {
        ($this->say)($this->isReloading ? 'reload: begun anew' : 'reload: begun');
        $this->isReloading = true;
        $this->reloaded = null;
        $this->queue = array_map(static fn (Post $post): string => $post->name, $this->posts);

        foreach ($this->posts as $post) {
            $post->forgive();
        }
    }

    public function isReloading(): bool
    {
        return $this->isReloading;
    }

    /** @param bool $quickly what is at hand is still put on disk and answered */
    public function end(bool $quickly): void
    {
        $this->isEnding = true;
        $this->queue = [];
        $this->isReloading = false;
        $until = $this->clock->monotonicNanos() + ($quickly ? 2_000_000_000 : $this->drainNanos);

        foreach ($this->workers() as $post) {
            foreach ($post->hands() as $hand) {
                $hand->child->tell($quickly ? 'stop' : 'drain last');
                $hand->endBy = min($until, $hand->endBy ?? $until);
            }
        }

        // Those who deliver go on until nobody accepts any more.
        foreach ($quickly || $this->working() === 0 ? $this->flushers() : [] as $post) {
            $this->endFlusher($post);
        }
    }

    /** Nobody waits any more. */
    public function kill(): void
    {
        foreach ($this->posts as $post) {
            foreach ($post->hands() as $hand) {
                $hand->kill();
            }
        }
    }

    public function isGone(): bool
    {
        return array_filter($this->posts, static fn (Post $post): bool => $post->hands() !== []) === [];
    }

    /** All posts that accept are given up. */
    public function isHopeless(): bool
    {
        return array_filter(
            $this->workers(),
            static fn (Post $post): bool => ! $post->isBroken || $post->hands() !== [],
        ) === [];
    }

    public function isReady(): bool
    {
        return array_filter(
            $this->workers(),
            static fn (Post $post): bool => $post->working === null && ! $post->isBroken,
        ) === []
            && $this->working() > 0;
    }

    public function working(): int
    {
        return count(array_filter($this->workers(), static fn (Post $post): bool => $post->working !== null));
    }

    /** @return list<resource> */
    public function lines(): array
    {
        $lines = [];

        foreach ($this->posts as $post) {
            foreach ($post->hands() as $hand) {
                $lines[] = $hand->child->line();
            }
        }

        return array_values(array_filter($lines, is_resource(...)));
    }

    /** @return list<Post> */
    private function workers(): array
    {
        return array_values(array_filter($this->posts, static fn (Post $post): bool => ! $post->isFlusher));
    }

    /** @return list<Post> */
    private function flushers(): array
    {
        return array_values(array_filter($this->posts, static fn (Post $post): bool => $post->isFlusher));
    }

    private function fill(Post $post): void
    {
        if ($post->restart !== null) {
            $this->restarts[$post->restart] = ($this->restarts[$post->restart] ?? 0) + 1;
            $post->restart = null;
        }

        try {
            $hand = new Hand(($this->start)($post), $this->clock->monotonicNanos());
        } catch (UnableToServe $e) {
            $this->fell($post, $this->clock->monotonicNanos(), $this->clock->monotonicNanos(), false, $e->getMessage());

            return;
        }

        // It says nothing, so it is ready.
        if ($post->isFlusher) {
            $post->working = $hand;
        } else {
            $post->coming = $hand;
        }
    }

    private function promote(Post $post, int $now): void
    {
        if ($post->coming?->isReady !== true) {
            return;
        }

        $post->leaving = $post->working;
        $post->working = $post->coming;
        $post->coming = null;

        if ($post->leaving !== null) {
            $post->leaving->child->tell('drain');
            $post->leaving->endBy = $now + $this->drainNanos;
        }

        if ($this->isEnding) {
            $post->working->child->tell('drain last');
            $post->working->endBy = $now + $this->drainNanos;
        }
    }

    /** Kills whoever is stuck. */
    private function judge(Post $post, int $now): void
    {
        foreach ($post->hands() as $hand) {
            $why = match (true) {
                $hand->isKilled => null,
                $hand->endBy !== null && $now > $hand->endBy => 'it did not finish in time',
                $post->isFlusher => null,
                ! $hand->isReady && $now - $hand->startedAt > self::START_NANOS => 'it was not ready within 30 s',
                $hand->isReady
                    && $now - $hand->heardAt
                        > self::BEAT_NANOS => 'it gave no sign of life for 10 s: something in it blocks',
                default => null,
            };

            if ($why !== null) {
                ($this->say)("{$post->name} (pid {$hand->child->pid()}) is killed: {$why}");
                $post->restart = $hand->endBy === null ? 'watchdog' : $post->restart;
                $hand->kill();
            }
        }
    }

    private function bury(Post $post, int $now): void
    {
        if ($post->leaving?->child->end() !== null) {
            $post->leaving = null;
        }

        if ($post->working === null && $post->coming?->child->end() !== null) {
            // Ready and at its end since the last look: then it has worked, and what ended it
            // may have come from outside.
            $post->coming->listen($now);
            $this->promote($post, $now);
        }

        if ($post->coming !== null && ($end = $post->coming->child->end()) !== null) {
            [$hand, $post->coming] = [$post->coming, null];

            if ($post->working !== null) {
                $this->giveUpReload("{$post->name}: the new process {$end} before it was ready; the old one goes on");
            } else {
                $this->fell($post, $now, $hand->startedAt, false, "{$end} before it was ready");
            }
        }

        if ($post->working !== null && ($end = $post->working->child->end()) !== null) {
            [$hand, $post->working] = [$post->working, null];

            if ($hand->endBy !== null || $this->isEnding) {
                return;
            }

            $post->restart ??= $post->isFlusher && $end === ChildProcess::DONE ? null : 'crash';
            $this->fell(
                $post,
                $now,
                $hand->startedAt,
                ! $post->isFlusher || $now - $hand->startedAt >= self::FLUSHER_WORKS_NANOS,
                $end,
            );
        }
    }

    private function fell(Post $post, int $now, int $startedAt, bool $hasWorked, string $how): void
    {
        if ($this->isEnding) {
            return;
        }

        $post->restart ??= 'crash';
        $pause = $post->failed($now, $startedAt, $hasWorked);

        ($this->say)(match ($pause) {
            null => "{$post->name} {$how}. It ended {$post->failures} times in a row and is not started again"
                .' before a reload',
            0 => "{$post->name} {$how}; started again at once",
            default => "{$post->name} {$how}; started again in {$pause} s",
        });
    }

    private function replaceNext(): void
    {
        if (
            $this->isEnding
            || array_filter($this->posts, static fn (Post $post): bool => $post->isBeingReplaced()) !== []
        ) {
            return;
        }

        $name = array_shift($this->queue);

        if ($name === null) {
            if (
                $this->isReloading
                && array_filter($this->flushers(), static fn (Post $post): bool => $post->working?->endBy !== null)
                    === []
            ) {
                $this->isReloading = false;
                $this->reloaded = 'done';
                ($this->say)('reload: done');
            }

            return;
        }

        foreach ($this->posts as $post) {
            if ($post->name === $name && $post->working !== null) {
                $this->restarts[$reason = $post->working->wish === null
                    ? 'reload'
                    : explode(':', $post->working->wish)[0]] = ($this->restarts[$reason] ?? 0) + 1;
                $post->working->wish = null;
                $post->isFlusher ? $this->endFlusher($post) : $this->fill($post);
            }
        }
    }

    private function giveUpReload(string $why): void
    {
        $this->queue = [];
        $this->reloaded = $why;
        $this->isReloading = false;
        ($this->say)("reload given up. {$why}");
    }

    /** Its successor starts when it is gone: two would wait for each other. */
    private function endFlusher(Post $post): void
    {
        if ($post->working !== null && $post->working->endBy === null) {
            $post->working->child->signal(15);
            $post->working->endBy = $this->clock->monotonicNanos() + 40_000_000_000;
        }
    }

    /** The flushers' turn, once nobody accepts any more. */
    public function endFlushers(): void
    {
        if (
            $this->isEnding
            && array_filter($this->workers(), static fn (Post $post): bool => $post->hands() !== []) === []
        ) {
            array_map($this->endFlusher(...), $this->flushers());
        }
    }
}
