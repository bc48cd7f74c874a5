<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore;

use Headroom\Core\Position;
use Headroom\Spool\Encoding\DeadLetterCodec;
use Headroom\Spool\RedisStore\Client\Client;
use Headroom\Spool\RedisStore\Stream\Keys;
use Headroom\Spool\RedisStore\Stream\Scripts;
use Headroom\Spool\Store\CorruptDeadLetter;
use Headroom\Spool\Store\DeadLetter;
use Headroom\Spool\Store\DeadLetterStore;
use InvalidArgumentException;

/**
 * The hash `dead`: dead letters by the position of their event. A delivered entry leaves the stream at once, so no
 * position is asked for again, and no tombstone is needed.
 *
 * @internal
 */
final readonly class RedisDeadLetters implements DeadLetterStore
{
    private const AT_ONCE = 100;

    private const NEVER_IN_STREAM = '00000000000000000000-';

    public function __construct(private Client $client, private Keys $keys, private ?Ownership $owner = null) {}

    public function add(DeadLetter $letter): void
    {
        $this->owner?->script(Scripts::BURY, [$letter->position->toString(), DeadLetterCodec::encode($letter)]);
    }

    public function discardVoid(Position $cursor, bool $isResent): array
    {
        $ahead = array_values(array_filter(
            $this->positions(),
            static fn (string $position): bool => ! self::isBefore($position, $cursor),
        ));

        if ($isResent || $ahead === []) {
            return array_fill_keys($ahead, true);
        }

        $this->owner?->script(Scripts::FORGET, $ahead);

        return [];
    }

    public function countTombstonesFrom(Position $cursor): int
    {
        return 0;
    }

    /**
     * Puts the events of dead letters back into the stream, under new positions.
     *
     * @param list<string|int> $letters position, line and microseconds of each letter, one after another
     * @return int number of these letters that existed
     */
    public function retry(array $letters): int
    {
        $count = $this->owner?->script(Scripts::RETRY, $letters);

        return is_int($count) ? $count : 0;
    }

    /** @param list<string> $positions positions of letters that an operator does not want any more */
    public function forget(array $positions): void
    {
        $this->owner?->script(Scripts::FORGET, $positions);
    }

    public function before(Position $cursor): iterable
    {
        foreach ($this->positions() as $position) {
            if (! self::isBefore($position, $cursor)) {
                return;
            }

            $text = $this->client->command(
                $this->keys->dead,
                ['HGET', $this->client->key($this->keys->dead), $position],
            );

            // A letter that is missing now was retried or forgotten since.
            if (is_string($text)) {
                yield self::letter($position, $text);
            }
        }
    }

    public function positionsBefore(Position $cursor): array
    {
        return array_values(array_filter(
            $this->positions(),
            static fn (string $position): bool => self::isBefore($position, $cursor),
        ));
    }

    public function at(array $positions): iterable
    {
        foreach (array_chunk($positions, self::AT_ONCE) as $chunk) {
            $texts = $this->client->command(
                $this->keys->dead,
                ['HMGET', $this->client->key($this->keys->dead), ...$chunk],
            );

            foreach ($chunk as $number => $position) {
                $text = is_array($texts) ? $texts[$number] ?? null : null;

                if (is_string($text)) {
                    yield self::letter($position, $text);
                }
            }
        }
    }

    /** @return int<0, max> */
    public function count(Position $cursor): int
    {
        return count($this->positionsBefore($cursor));
    }

    /** Events that were never in the stream have positions before all of it. */
    private static function isBefore(string $position, Position $cursor): bool
    {
        return $position < $cursor->toString() || str_starts_with($position, self::NEVER_IN_STREAM);
    }

    private static function letter(string $position, string $text): DeadLetter|CorruptDeadLetter
    {
        try {
            return DeadLetterCodec::decode($text);
        } catch (InvalidArgumentException $e) {
            return new CorruptDeadLetter(
                Position::fromString($position),
                "The dead letter {$position} cannot be read: {$e->getMessage()}. Remove it with `spool:forget`; the"
                    .' others stay.',
            );
        }
    }

    /** @return list<string> in ascending order */
    private function positions(): array
    {
        $names = $this->client->command($this->keys->dead, ['HKEYS', $this->client->key($this->keys->dead)]);
        $positions = array_values(array_filter(
            is_array($names) ? $names : [],
            static fn (mixed $name): bool => is_string($name) && preg_match('/\A\d{20}-\d{20}-\d{5}\z/', $name) === 1,
        ));
        sort($positions);

        return $positions;
    }
}
