<?php

declare(strict_types=1);

namespace Headroom\Load\Workers;

use Headroom\Core\Clock;
use Headroom\Load\LoadResult;
use Headroom\Load\Measurement;
use Headroom\Load\Plan;
use Headroom\Load\Progress;
use Headroom\Load\UnableToLoad;
use Headroom\Load\UnableToReach;
use Headroom\Load\Watcher;

/**
 * Several processes that do one run together: each begins at the same time of the same clock, and what they saw is put
 * together in the end. This one only looks on.
 *
 * @internal
 */
final class WorkerPool
{
    /** From the word to begin until then, so that all have heard it. */
    private const HEAD_START_NANOS = 100_000_000;

    private const LOOK_MICROS = 200_000;

    /** While there is nothing to be heard any more of those that have not ended. */
    private const END_MICROS = 2_000;

    private int $stops = 0;

    private int $passed = 0;

    /** @var array<int, Hand> those that have not ended, by number */
    private array $hands = [];

    /** @var array<int, true> */
    private array $ready = [];

    /** @var array<int, Progress> the last of each, also of those that have ended */
    private array $progress = [];

    /** @var array<int, true> those that have told theirs since it was shown */
    private array $told = [];

    /** @var array<int, Measurement> */
    private array $measured = [];

    /** @var list<string> */
    private array $lost = [];

    /** @var array<int, string> what those that go on, or have measured, said was wrong */
    private array $faults = [];

    private bool $isRunning = false;

    /** @param list<string> $command that starts one */
    public function __construct(private readonly array $command, private readonly Clock $clock) {}

    /**
     * @param list<mixed> $jobs one for each process
     *
     * @throws UnableToLoad
     * @throws UnableToReach
     */
    public function run(Plan $plan, array $jobs, ?Watcher $watcher): LoadResult
    {
        try {
            foreach ($jobs as $i => $job) {
                $this->hands[$i + 1] = $hand = Hand::start($i + 1, $this->command);
                $hand->tell(new Message(MessageType::Job, $job));
            }

            $this->awaitReady($plan);
            $start = $this->clock->monotonicNanos() + self::HEAD_START_NANOS;
            $this->tell(new Message(MessageType::Go, $start));
            $this->isRunning = true;

            while ($this->hands !== []) {
                $this->look($plan);
                $this->show($watcher);
            }
        } finally {
            array_map(static fn (Hand $hand) => $hand->close(), $this->hands);
        }

        ksort($this->measured);

        return LoadResult::of($plan, array_values($this->measured), $this->lost);
    }

    /** @return list<string> what those that measured could not do besides */
    public function faults(): array
    {
        return array_values($this->faults);
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
        $this->await();

        foreach ($this->hands as $number => $hand) {
            $hand->pass();

            foreach ($hand->hear() as $message) {
                $this->take($number, $message, $plan);
            }

            $end = $hand->end();

            if ($end !== null) {
                $this->leave($number, $end);
                $hand->close();
                unset($this->hands[$number]);
            }
        }
    }

    /** Until there is something to hear or to tell, and no longer than a look may take. */
    private function await(): void
    {
        $readable = array_filter(array_map(static fn (Hand $hand) => $hand->output(), $this->hands), is_resource(...));
        $writable = array_filter(array_map(static fn (Hand $hand) => $hand->input(), $this->hands), is_resource(...));
        $none = null;

        if ($readable === []) {
            $this->clock->sleep(self::END_MICROS);
        } else {
            // A signal ends the waiting, which is no fault.
            @stream_select($readable, $writable, $none, 0, self::LOOK_MICROS);
        }
    }

    private function leave(int $number, string $end): void
    {
        if (! isset($this->measured[$number])) {
            $this->lost[] = "Process {$number} {$end}"
                .(isset($this->faults[$number]) ? ": {$this->faults[$number]}" : '');
            unset($this->faults[$number]);
        }

        if (isset($this->progress[$number])) {
            $this->progress[$number] = $this->progress[$number]->over();
        }
    }

    private function take(int $number, Message $message, Plan $plan): void
    {
        $content = $message->content;

        match (true) {
            $message->word === MessageType::Ready => $this->ready[$number] = true,
            $message->word === MessageType::Fault && is_string($content) => $this->isRunning
                ? $this->faults[$number] = $content
                : throw UnableToLoad::inProcess($number, $content),
            $message->word === MessageType::NoServer && is_string($content) => throw UnableToReach::told($content),
            $message->word === MessageType::Progress => $this->note($number, ResultCodec::progress(MessageReader::of($content))),
            $message->word
                === MessageType::Measurement => $this->measure($number, ResultCodec::measurement(MessageReader::of($content), $plan)),
            default => null,
        };
    }

    private function note(int $number, Progress $progress): void
    {
        $this->progress[$number] = $progress;
        $this->told[$number] = true;
    }

    private function measure(int $number, Measurement $measured): void
    {
        $this->measured[$number] = $measured;
        // It may have ended before it told how far it is, and does not tell again.
        $this->progress[$number] = $measured->tally->progress($measured->seconds, 0);
    }

    /** Those that stop when they are told do so within a second. */
    private function passStop(): void
    {
        // Before, whoever is not ready could not hear it, and is ended.
        if ($this->stops > $this->passed && $this->isRunning) {
            $this->passed++;
            $this->passed === 1
                ? $this->tell(new Message(MessageType::Stop))
                : array_map(static fn (Hand $hand) => $hand->kill(), $this->hands);
        }
    }

    private function tell(Message $message): void
    {
        array_map(static fn (Hand $hand) => $hand->tell($message), $this->hands);
    }

    private function show(?Watcher $watcher): void
    {
        if (
            $watcher !== null
            && $this->told !== []
            && $this->progress !== []
            && array_diff_key($this->hands, $this->told) === []
        ) {
            $watcher->watch(Progress::together(array_values($this->progress)));
            $this->told = [];
        }
    }
}
