<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Closure;
use Headroom\Core\SystemClock;
use Headroom\Spool\Buffer;
use Throwable;

/**
 * One thing that a process does to the buffer, with the state it finds.
 */
enum Scenario: string
{
    case FirstAppend = 'the first append of a bucket';
    case LaterAppend = 'appends to a slot that is there';
    case NextSlot = 'an append after all slots were sealed';
    case FullSlot = 'an append beside a full slot';
    case KeptAppend = 'appends to a kept slot';
    case AddMany = 'many events in one frame';
    case NoRoom = 'an append without room for its frame';
    case NoRoomKept = 'an append to a kept slot without room for its frame';
    case Flush = 'a flush into the database';
    case NextFlush = 'another flush into the database';
    case FileFlush = 'a flush into a file';
    case RotatingFlush = 'a flush into files that are set aside and compressed';
    case DamagedFlush = 'a flush of a damaged slot';
    case Clean = 'a clean';

    /** @return list<self> scenarios in which a caller is told that an event is accepted */
    public static function appends(): array
    {
        return [
            self::FirstAppend, self::LaterAppend, self::NextSlot, self::FullSlot, self::KeptAppend, self::AddMany,
            self::NoRoom, self::NoRoomKept,
        ];
    }

    /** @return list<self> */
    public static function flushes(): array
    {
        return [self::Flush, self::NextFlush, self::FileFlush, self::RotatingFlush, self::DamagedFlush];
    }

    /** So that every class is there before the first call is counted. */
    public static function rehearse(): void
    {
        foreach (self::cases() as $scenario) {
            $world = $scenario->world(World::create());

            try {
                $scenario->prepare($world);
                $scenario->perform($world, static function (): void {});
                $world->status($scenario->bucket());
            } finally {
                $world->destroy();
            }
        }
    }

    /** The scenario that repairs the state after a crash of this one. */
    public function recovery(): self
    {
        return match (true) {
            $this === self::Clean, in_array($this, self::flushes(), true) => $this,
            default => self::NextFlush,
        };
    }

    public function bucket(): string
    {
        return match ($this) {
            self::FileFlush => 'lines',
            self::RotatingFlush => 'rotating',
            default => 'events',
        };
    }

    public function world(World $world): World
    {
        return match ($this) {
            self::FullSlot => $world->withSegmentBytes(65_536),
            default => $world->withBatch(4),
        };
    }

    /** @return list<string> ids that are accepted by then and must arrive */
    public function prepare(World $world): array
    {
        switch ($this) {
            case self::FirstAppend:
                return [];
            case self::NextSlot:
            case self::Clean:
                foreach (['old 1', 'old 2', 'old 3'] as $id) {
                    $world->append([$id]);
                    $world->flush();
                }

                return ['old 1', 'old 2', 'old 3'];
            case self::FullSlot:
                $ids = array_map(static fn (int $n): string => "old {$n}", range(1, 200));
                $world->buffer()->bucket('events')->addMany(array_map(Event::of(...), $ids));

                return $ids;
            case self::Flush:
            case self::FileFlush:
            case self::RotatingFlush:
                return $this->threeSlots($world, 'old');
            case self::NextFlush:
                $older = $this->threeSlots($world, 'older');
                $world->flush();

                return [...$older, ...$this->threeSlots($world, 'old')];
            case self::DamagedFlush:
                return $this->damagedSlot($world);
            default:
                $world->append(['old 1']);

                return ['old 1'];
        }
    }

    /** @return list<string> ids that it tries to append */
    public function ids(): array
    {
        return match ($this) {
            self::AddMany => array_map(static fn (int $n): string => "new {$n}", range(1, 20)),
            self::FirstAppend,
            self::LaterAppend,
            self::NextSlot,
            self::FullSlot,
            self::KeptAppend,
            self::NoRoom,
            self::NoRoomKept => ['new 1', 'new 2', 'new 3'],
            default => [],
        };
    }

    /**
     * @param Closure(string, string): void $say "accepted" or "refused" and an id, "why" and a failure,
     *     "alarm" and a loss
     */
    public function perform(World $world, Closure $say): void
    {
        if (in_array($this, self::flushes(), true)) {
            $this->flush($world, $say);
        } elseif ($this === self::Clean) {
            try {
                $world->cleaner(new SystemClock)->clean(-60);
            } catch (Throwable $e) {
                $say('why', $e::class.': '.$e->getMessage());
            }
        } else {
            $buffer = $world->buffer();
            in_array($this, [self::KeptAppend, self::NoRoomKept], true) ? $buffer->keepSegmentsOpen() : null;
            $this->append($world, $buffer, $say);
            $buffer->closeSegments();
        }
    }

    /** @param Closure(string, string): void $say */
    private function flush(World $world, Closure $say): void
    {
        $report = $world->flusher()->flush($this->bucket());
        $report->failure === null ? null : $say('why', $report->failure::class.': '.$report->failure->getMessage());

        foreach ($report->losses as $loss) {
            $loss->isAlarming ? $say('alarm', $loss->message) : null;
        }
    }

    /** @param Closure(string, string): void $say */
    private function append(World $world, Buffer $buffer, Closure $say): void
    {
        foreach ($this === self::AddMany ? [$this->ids()] : array_map(
            static fn (string $id): array => [$id],
            $this->ids(),
        ) as $n => $ids) {
            // The last but one of three: there is a first event to lose, and one that must find its place behind.
            $isCramped = $n === 1 && in_array($this, [self::NoRoom, self::NoRoomKept], true);
            clearstatcache();
            $isCramped ? Room::endsAt((int) filesize(self::slot($world)) + 40) : null;

            try {
                $events = array_map(Event::of(...), $ids);
                $this === self::AddMany
                    ? $buffer->bucket('events')->addMany($events)
                    : $buffer->bucket('events')->add($events[0]);
                $kind = 'accepted';
            } catch (Throwable $e) {
                $kind = 'refused';
                $say('why', $e::class.': '.$e->getMessage());
            }

            Room::endsAt(null);

            foreach ($ids as $id) {
                $say($kind, $id);
            }
        }
    }

    private static function slot(World $world): string
    {
        return $world->layout()->active.'/u'.posix_geteuid().'-0000.log';
    }

    /** @return list<string> in three slots: two events, one event, and a frame of seven */
    private function threeSlots(World $world, string $prefix): array
    {
        [$first, $second] = [$world->buffer(), $world->buffer()];
        $many = array_map(static fn (int $n): string => "{$prefix} c{$n}", range(1, 7));

        foreach ([[$first, 'a'], [$second, 'b']] as [$buffer, $name]) {
            $buffer->keepSegmentsOpen();
            $world->append(["{$prefix} {$name}1", "{$prefix} {$name}2"], $this->bucket(), $buffer);
        }

        $world->buffer()->bucket($this->bucket())->addMany(array_map(Event::of(...), $many));
        $first->closeSegments();
        $second->closeSegments();

        return ["{$prefix} a1", "{$prefix} a2", "{$prefix} b1", "{$prefix} b2", ...$many];
    }

    /** @return list<string> what can still be read */
    private function damagedSlot(World $world): array
    {
        $slot = self::slot($world);
        $world->append(['old 1']);
        clearstatcache();
        $end = (int) filesize($slot);
        $world->append(['old 2', 'old 3']);
        $content = (string) file_get_contents($slot);
        $content[$end + 40] = $content[$end + 40] === '?' ? '!' : '?';
        file_put_contents($slot, $content);

        return ['old 1', 'old 3'];
    }
}
