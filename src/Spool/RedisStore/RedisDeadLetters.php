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
 * The hash `dead`: a letter by its event's place. What is delivered leaves the stream at once, so that no place is
 * asked for again and nothing has to be remembered of a letter that is gone.
 *
 * @internal
 */
final readonly class RedisDeadLetters implements DeadLetterStore
{
    private const NEVER_IN_STREAM = '00000000000000000000-';

    public function __construct(private Client $client, private Keys $keys, private ?Ownership $owner = null) {}

    public function bury(DeadLetter $letter): void
    {
        $this->owner?->script(Scripts::BURY, [$letter->position->toString(), DeadLetterCodec::encode($letter)]);
    }

    public function settle(Position $cursor, bool $isBegun): array
    {
        $ahead = array_values(array_filter(
            $this->places(),
            static fn (string $place): bool => ! self::isBefore($place, $cursor),
        ));

        if ($isBegun || $ahead === []) {
            return array_fill_keys($ahead, true);
        }

        $this->owner?->script(Scripts::FORGET, $ahead);

        return [];
    }

    /**
     * Puts the events of letters back into the stream, under new positions.
     *
     * @param list<string|int> $letters place, line and microseconds in turn
     */
    public function revive(array $letters): int
    {
        $revived = $this->owner?->script(Scripts::REVIVE, $letters);

        return is_int($revived) ? $revived : 0;
    }

    /** @param list<string> $places of letters that an operator no longer wants */
    public function forget(array $places): void
    {
        $this->owner?->script(Scripts::FORGET, $places);
    }

    public function before(Position $cursor): iterable
    {
        foreach ($this->places() as $place) {
            if (! self::isBefore($place, $cursor)) {
                return;
            }

            $text = $this->client->command($this->keys->dead, ['HGET', $this->client->key($this->keys->dead), $place]);

            // Gone since is retried or forgotten.
            if (is_string($text)) {
                yield self::letter($place, $text);
            }
        }
    }

    /** @return int<0, max> */
    public function count(Position $cursor): int
    {
        return count(array_filter($this->places(), static fn (string $place): bool => self::isBefore($place, $cursor)));
    }

    /** Those that never were in the stream have places before all of it. */
    private static function isBefore(string $place, Position $cursor): bool
    {
        return $place < $cursor->toString() || str_starts_with($place, self::NEVER_IN_STREAM);
    }

    private static function letter(string $place, string $text): DeadLetter|CorruptDeadLetter
    {
        try {
            return DeadLetterCodec::decode($text);
        } catch (InvalidArgumentException $e) {
            return new CorruptDeadLetter(
                Position::fromString($place),
                "The dead letter {$place} can not be read: {$e->getMessage()}. Forget it; the others are not touched.",
            );
        }
    }

    /** @return list<string> rising */
    private function places(): array
    {
        $names = $this->client->command($this->keys->dead, ['HKEYS', $this->client->key($this->keys->dead)]);
        $places = array_values(array_filter(
            is_array($names) ? $names : [],
            static fn (mixed $name): bool => is_string($name) && preg_match('/\A\d{20}-\d{20}-\d{5}\z/', $name) === 1,
        ));
        sort($places);

        return $places;
    }
}
