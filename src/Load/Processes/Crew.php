<?php

declare(strict_types=1);

namespace Headroom\Load\Processes;

use Headroom\Core\Clock;
use Headroom\Load\LoadResult;
use Headroom\Load\Measurement;
use Headroom\Load\Plan;
use Headroom\Load\Progress;
use Headroom\Load\UnableToLoad;
use Headroom\Load\Watcher;

/**
 * Several processes that do one run together: each begins at the same time of the same clock, and what they saw is put
 * together in the end. This one only looks on.
 *
 * @internal
 */
final class Crew
{
    /** From the word to begin until then, so that all have heard it. */
    private const HEAD_START_NANOS = 100_000_000;

    private const LOOK_MICROS = 200_000;

    private int $stops = 0;

    private int $told = 0;

    /** @var array<int, Hand> those that have not ended, by number */
    private array $hands = [];

    /** @var array<int, true> */
    private array $ready = [];

    /** @var array<int, Progress> the last of each */
    private array $progress = [];

    /** @var array<int, Measurement> */
    private array $measured = [];

    /** @var list<string> */
    private array $lost = [];

    /** @var array<int, string> what they said was wrong */
    private array $faults = [];

    private bool $isRunning = false;

    /** @param list<string> $command that starts one */
    public function __construct(private readonly array $command, private readonly Clock $clock) {}

    /**
     * @param list<mixed> $jobs one for each process
     *
     * @throws UnableToLoad
     */
    public function run(Plan $plan, array $jobs, ?Watcher $watcher): LoadResult
    {
        try {
            foreach ($jobs as $i => $job) {
                $this->hands[$i + 1] = $hand = Hand::start($i + 1, $this->command);
                $hand->tell(new Message(Word::Job, $job));
            }

            $this->awaitReady($plan);
            $start = $this->clock->monotonicNanos() + self::HEAD_START_NANOS;
            $this->tell(new Message(Word::Go, $start));
            $this->isRunning = true;

            while ($this->hands !== []) {
                $this->look($plan);
                $this->show($watcher, count($jobs));
            }
        } finally {
            array_map(static fn (Hand $hand) => $hand->close(), $this->hands);
        }

        ksort($this->measured);

        return LoadResult::of($plan, array_values($this->measured), $this->lost);
    }

    /** For signal handlers. The second time nobody is waited for. */
    public function stop(): void
    {
        $this->stops++;
    }

    private function awaitReady(Plan $plan): void
    {
        while (count($this->ready) < count($this->hands) && $this->lost === []) {
            $this->look($plan);

            if ($this->stops > 0) {
                throw UnableToLoad::stoppedBefore();
            }
        }

        if ($this->lost !== []) {
            throw UnableToLoad::lostBefore($this->lost[0]);
        }
    }

    private function look(Plan $plan): void
    {
        $this->passStop();
        $readable = array_map(static fn (Hand $hand) => $hand->output(), $this->hands);
        $none = null;
        // A signal ends the waiting, which is no fault.
        @stream_select($readable, $none, $none, 0, self::LOOK_MICROS);

        foreach ($this->hands as $number => $hand) {
            foreach ($hand->hear() as $message) {
                $this->take($number, $message, $plan);
            }

            $end = $hand->end();

            if ($end !== null) {
                if (! isset($this->measured[$number])) {
                    $this->lost[] = "Process {$number} {$end}".(isset($this->faults[$number]) ? ": {$this->faults[$number]}" : '');
                } elseif (isset($this->faults[$number])) {
                    $this->lost[] = "Process {$number}: {$this->faults[$number]}";
                }

                $hand->close();
                unset($this->hands[$number]);
            }
        }
    }

    private function take(int $number, Message $message, Plan $plan): void
    {
        $content = $message->content;

        match (true) {
            $message->word === Word::Ready => $this->ready[$number] = true,
            $message->word === Word::Fault && is_string($content) => $this->isRunning ? $this->faults[$number] = $content : throw UnableToLoad::inProcess($number, $content),
            $message->word === Word::Progress => $this->progress[$number] = Parcel::progress(State::of($content)),
            $message->word === Word::Measurement => $this->measured[$number] = Parcel::measurement(State::of($content), $plan),
            default => null,
        };
    }

    /** Those that stop when they are told do so within a second. */
    private function passStop(): void
    {
        // Before, whoever is not ready could not hear it, and is ended.
        if ($this->stops > $this->told && $this->isRunning) {
            $this->told++;
            $this->told === 1 ? $this->tell(new Message(Word::Stop)) : array_map(static fn (Hand $hand) => $hand->kill(), $this->hands);
        }
    }

    private function tell(Message $message): void
    {
        array_map(static fn (Hand $hand) => $hand->tell($message), $this->hands);
    }

    private function show(?Watcher $watcher, int $processes): void
    {
        if ($watcher !== null && $this->progress !== [] && count($this->progress) >= min($processes, count($this->hands))) {
            $watcher->watch(Progress::together(array_values($this->progress)));
            $this->progress = [];
        }
    }
}
