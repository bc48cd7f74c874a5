<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Closure;
use Headroom\Console\Spool\AdoptCommand;
use Headroom\Core\FaultPoint;
use Headroom\Core\Position;
use Headroom\Core\SystemClock;
use Headroom\Spool\DeadLetters\FileDeadLetterQueue;
use Headroom\Spool\Delivery\FlushOptions;
use Headroom\Spool\Store\CorruptDeadLetter;
use Headroom\Spool\Store\DeadLetter;
use InvalidArgumentException;
use Symfony\Component\Console\Input\ArrayInput;
use Symfony\Component\Console\Output\BufferedOutput;

/**
 * The actions of a child process of a fault test.
 */
final readonly class Actor
{
    public function __construct(private World $world, private FaultPoint $faultPoint) {}

    /**
     * @param list<string> $arguments
     * @return array<string, mixed> for the test
     */
    public function act(string $action, array $arguments): array
    {
        return match ($action) {
            'append' => $this->append($arguments),
            'append knowing the path' => $this->appendKnowingThePath($arguments),
            'append kept' => $this->appendKept($arguments),
            'flush' => $this->flush($arguments[0] ?? 'events'),
            'flush in turn' => $this->flush($arguments[0] ?? 'events', new FlushOptions),
            'flush in a noted session' => $this->flushInNotedSession(),
            'adopt' => $this->adopt($arguments[0] ?? ''),
            'node' => ['node' => $this->world->store($this->faultPoint)->node()],
            'fork while holding' => (new Family($this->world))->bothAppend(),
            'fork and outlive' => (new Family($this->world))->childOutlives(),
            'die before the program it started' => (new Family($this->world))->diesBeforeProgram(),
            'append under signals' => (new Family($this->world))->appendUnderSignals(),
            'append with too little room' => (new CrampedWriter($this->world, $this->faultPoint))->append($arguments),
            'append broken off' => (new CrampedWriter($this->world, $this->faultPoint))->appendBrokenOff($arguments),
            'flush with too little room' => (new CrampedWriter(
                $this->world,
                $this->faultPoint,
            ))->flush((int) ($arguments[0] ?? 0)),
            'retry' => $this->retry(),
            'retire' => ['outcome' => $this->world->store($this->faultPoint)->retire('events')->value],
            'append by policy' => (new Refused($this->world))->append($arguments),
            'append by policy in one call' => (new Refused($this->world))->appendTogether($arguments),
            'append by policy with too little room' => (new Refused($this->world))->appendCramped($arguments),
            'count' => (new Refused($this->world))->count((int) $arguments[0], $this->faultPoint),
            'count until killed' => (new Refused($this->world))->countUntilKilled($arguments[0]),
            'hold the counters' => (new Refused($this->world))->holdCounters($this->faultPoint),
            'record' => (new Historian($this->world))->record((int) $arguments[0]),
            'record until killed' => (new Historian($this->world))->recordUntilKilled($arguments[0]),
            'flush by callback' => (new HandedOver($this->world, $this->faultPoint))->flush(
                $arguments[0],
                $arguments[1],
            ),
            'tell' => (new Teller($this->world))->tell($arguments),
            'write until killed' => $this->endlessly(
                static fn (Endless $endless) => $endless->write($arguments[0] ?? ''),
            ),
            'flush until killed' => $this->endlessly(static fn (Endless $endless) => $endless->flush()),
            default => throw new InvalidArgumentException("No action '{$action}'."),
        };
    }

    /**
     * @param list<string> $ids
     * @return array<string, mixed>
     */
    private function append(array $ids): array
    {
        $this->world->append($ids, buffer: $this->world->buffer($this->faultPoint));

        return ['appended' => count($ids)];
    }

    /**
     * @param list<string> $ids
     * @return array<string, mixed>
     */
    private function appendKnowingThePath(array $ids): array
    {
        $buffer = $this->world->buffer($this->faultPoint);
        $layout = $this->world->layout();
        // Once before, so that no class has to be looked for on the disk between this and the append.
        $this->world->append(['elsewhere'], 'lines', $buffer);
        $slot = lstat($layout->active.'/u'.posix_geteuid().'-0000.log');
        $this->world->append($ids, buffer: $buffer);

        return ['inode' => $slot === false ? null : $slot['ino']];
    }

    /**
     * @param list<string> $ids
     * @return array<string, mixed>
     */
    private function appendKept(array $ids): array
    {
        $buffer = $this->world->buffer($this->faultPoint);
        $buffer->keepSegmentsOpen();
        $this->world->append($ids, buffer: $buffer);
        $this->faultPoint->reached('kept');
        $buffer->closeSegments();

        return ['appended' => count($ids)];
    }

    /**
     * @param Closure(Endless): void $work
     * @return array<string, mixed>
     */
    private function endlessly(Closure $work): array
    {
        $work(new Endless($this->world));

        return [];
    }

    /** @return array<string, mixed> */
    private function retry(): array
    {
        $desk = new FileDeadLetterQueue($this->world->store($this->faultPoint), 'events', new SystemClock);
        $positions = array_map(
            static fn (DeadLetter|CorruptDeadLetter $letter): Position => $letter->position,
            iterator_to_array($desk->letters(), false),
        );

        return ['retried' => $desk->retry($positions)];
    }

    /** @return array<string, mixed> */
    private function flushInNotedSession(): array
    {
        (new DatabaseSession($this->world))->note();

        return $this->flush('events');
    }

    /** @return array<string, mixed> */
    private function flush(string $bucket, FlushOptions $limits = new FlushOptions(now: true)): array
    {
        $report = $this->world->flusher($this->faultPoint)->flush($bucket, $limits);

        return [
            'delivered' => $report->delivered,
            'dead' => $report->dead,
            'more' => $report->hasMore,
            'goes on at' => $report->nextTokenAt,
            'waits until' => $report->waiting?->nextTry,
            'busy' => $report->busy,
            'failure' => $report->failure?->getMessage(),
        ];
    }

    /** @return array<string, mixed> */
    private function adopt(string $directory): array
    {
        $output = new BufferedOutput;
        $exit = (new AdoptCommand($this->world->runtime(faultPoint: $this->faultPoint)))->run(
            new ArrayInput(['directory' => $directory, '--force' => true]),
            $output,
        );

        return ['exit' => $exit, 'output' => $output->fetch()];
    }
}
