<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use ErrorException;
use Headroom\Core\FaultPoint;
use Headroom\Core\HeadroomException;
use Headroom\Spool\UnableToAppend;

/**
 * The kernel writes only a part where RLIMIT_FSIZE ends: a short write as a full disk makes it,
 * and no privilege needed.
 */
final readonly class CrampedWriter
{
    public function __construct(private World $world, private FaultPoint $faultPoint) {}

    /**
     * Appends the first id, fails with the second, and appends the rest.
     *
     * @param list<string> $arguments "kept", "opened" or "there is room again" when the reason is asked, then ids
     * @return array<string, mixed>
     */
    public function append(array $arguments): array
    {
        $buffer = $this->world->buffer(new CallingCheckpoint(function (string $point) use ($arguments): void {
            if ($point === 'slot.short-write' && $arguments[0] === 'there is room again') {
                Room::endsAt(null);
            }

            $this->faultPoint->reached($point);
        }));
        $ids = array_slice($arguments, 1);

        if ($arguments[0] === 'kept') {
            $buffer->keepSegmentsOpen();
            $this->world->append(['scope'], buffer: $buffer);
        }

        $this->world->append([$ids[0]], buffer: $buffer);
        $slot = $this->world->layout()->active.'/u'.posix_geteuid().'-0000.log';
        $before = $this->size($slot);
        Room::endsAt($before + 40);
        $failure = $this->failureOf(fn () => $this->world->append([$ids[1]], buffer: $buffer));
        $after = $this->size($slot);
        Room::endsAt(null);
        $this->world->append(array_slice($ids, 2), buffer: $buffer);
        $buffer->closeSegments();

        return ['before' => $before, 'after' => $after, 'failure' => $failure];
    }

    /**
     * The same with a segment that is kept open and an application whose error handler throws even suppressed errors:
     * the append ends in the middle.
     *
     * @param list<string> $ids
     * @return array<string, mixed>
     */
    public function appendBrokenOff(array $ids): array
    {
        $buffer = $this->world->buffer($this->faultPoint);
        $buffer->keepSegmentsOpen();
        $this->world->append(['scope', $ids[0]], buffer: $buffer);
        Room::endsAt($this->size($this->world->layout()->active.'/u'.posix_geteuid().'-0000.log') + 40);
        set_error_handler(static fn (int $level, string $message): never => throw new ErrorException($message));

        try {
            $this->world->append([$ids[1]], buffer: $buffer);
            $thrown = null;
        } catch (ErrorException $e) {
            $thrown = $e->getMessage();
        } finally {
            restore_error_handler();
            Room::endsAt(null);
        }

        $this->world->append(array_slice($ids, 2), buffer: $buffer);
        $buffer->closeSegments();

        return ['thrown' => $thrown];
    }

    /**
     * Seals while no file may grow beyond so many bytes.
     *
     * @return array<string, mixed>
     */
    public function flush(int $bytes): array
    {
        Room::endsAt($bytes);
        $report = $this->world->flusher($this->faultPoint)->flush('events');
        Room::endsAt(null);

        return ['failure' => $report->failure?->getMessage()];
    }

    /** @param callable(): void $work */
    private function failureOf(callable $work): ?string
    {
        try {
            $work();
        } catch (HeadroomException $e) {
            return $e instanceof UnableToAppend ? $e->getMessage() : $e::class;
        }

        return null;
    }

    private function size(string $path): int
    {
        clearstatcache();

        return (int) filesize($path);
    }
}
