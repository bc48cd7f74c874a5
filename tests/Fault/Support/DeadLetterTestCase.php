<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Headroom\Core\Position;
use Headroom\Spool\Store\DeadLetter;

/**
 * In the bucket "events" an event without a body is refused: the column may not be null.
 */
abstract class DeadLetterTestCase extends FaultTestCase
{
    protected function mendTable(): void
    {
        $database = $this->world->database();
        $database->statement('create table fixed (arrival integer primary key autoincrement, id varchar, body text)');
        $database->statement('insert into fixed select arrival, id, body from events');
        $database->statement('drop table events');
        $database->statement('alter table fixed rename to events');
    }

    /** @param list<string> $ids those that begin with "bad" are refused */
    protected function append(array $ids, string $bucket = 'events'): void
    {
        foreach ($ids as $id) {
            $this->world->buffer()->bucket($bucket)->add(str_starts_with($id, 'bad') ? ['id' => $id] : Event::of($id));
        }
    }

    /** @return list<DeadLetter> */
    protected function letters(string $bucket = 'events'): array
    {
        $letters = iterator_to_array($this->world->letters($bucket)->letters(), false);
        self::assertContainsOnlyInstancesOf(DeadLetter::class, $letters);

        return $letters;
    }

    /** @return list<Position> */
    protected function positions(string $bucket = 'events'): array
    {
        return array_map(static fn (DeadLetter $letter): Position => $letter->position, $this->letters($bucket));
    }

    /** @param list<string> $ids */
    protected function assertDead(array $ids, string $bucket = 'events'): void
    {
        $dead = array_map(
            static fn (DeadLetter $letter): mixed => ((array) json_decode($letter->line, true))['id'] ?? null,
            $this->letters($bucket),
        );

        self::assertSame($ids, $dead);
    }

    protected function assertCounts(
        int $accepted,
        int $delivered,
        ?int $dead = null,
        ?int $pending = 0,
        string $bucket = 'events',
    ): void {
        $status = $this->world->status($bucket);

        self::assertNull($status->error, $status->error ?? '');
        self::assertSame(
            0,
            $status->events->missing,
            "accepted {$status->events->accepted}, delivered {$status->events->delivered},"
                ." dead {$status->events->dead}, pending {$status->events->pending}",
        );
        self::assertSame(
            [$accepted, $delivered, $dead ?? $status->events->dead, $pending ?? $status->events->pending],
            [$status->events->accepted, $status->events->delivered, $status->events->dead, $status->events->pending],
        );
    }
}
