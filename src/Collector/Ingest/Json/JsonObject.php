<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest\Json;

use Headroom\Collector\Ingest\EventError;
use Headroom\Collector\Ingest\IngestLimits;

use function count;
use function get_debug_type;
use function is_array;
use function json_decode;
use function json_last_error;
use function json_last_error_msg;
use function strlen;
use function substr_count;

/**
 * One JSON object from outside, checked.
 *
 * @internal
 */
final readonly class JsonObject
{
    /**
     * More of them are not put into a table of PHP's: names that all fall into one place of it, which anybody can
     * choose, make each one walk through those before it, and 256 KiB of them keep the loop for a third of a second.
     */
    private const FEW_NAMES = 256;

    /** PHP counts what is in the innermost array as a level of its own. */
    private int $levels;

    /** @param int<1, max> $depth of objects and arrays in each other */
    public function __construct(public int $depth)
    {
        $this->levels = $depth + 1;
    }

    /**
     * @return array{array<array-key, mixed>, array<array-key, string>} values, and the texts they were made of, by
     *                                                                  name. What is in an object or an array may
     *                                                                  be left out of its value
     *
     * @throws EventError
     */
    public function read(string $text, int $limit): array
    {
        if (strlen($text) > $limit) {
            throw EventError::tooLarge(strlen($text), $limit);
        }

        $hasFew = substr_count($text, ':') <= self::FEW_NAMES;
        $values = json_decode($hasFew ? $text : JsonSplitter::nameless($text), true, $this->levels);

        // An empty array and an empty object are the same to json_decode().
        if (! is_array($values) || JsonSplitter::firstCharacter($text) !== '{') {
            throw self::refusal($values, $this->depth);
        }

        if (count($values) > IngestLimits::MEMBERS) {
            throw EventError::tooManyMembers(IngestLimits::MEMBERS);
        }

        $texts = $values === [] ? [] : JsonSplitter::members($text, $hasFew ? count($values) : null);

        return [$hasFew ? $values : array_map(self::value(...), $texts), $texts];
    }

    /**
     * Any value, which is only to be JSON.
     *
     * @throws EventError
     */
    public function check(string $text, int $limit): void
    {
        if (strlen($text) > $limit) {
            throw EventError::tooLarge(strlen($text), $limit);
        }

        if (
            json_decode(
                substr_count($text, ':') <= self::FEW_NAMES ? $text : JsonSplitter::nameless($text),
                true,
                $this->levels,
            ) === null
            && json_last_error() !== JSON_ERROR_NONE
        ) {
            throw self::refusal(null, $this->depth);
        }
    }

    /** Of a member that is JSON for sure. */
    private static function value(string $text): mixed
    {
        return match ($text[0]) {
            '{' => ['' => null],
            '[' => [],
            default => json_decode($text),
        };
    }

    private static function refusal(mixed $values, int $depth): EventError
    {
        return match (json_last_error()) {
            JSON_ERROR_NONE => EventError::notAnObject(is_array($values) ? 'an array' : get_debug_type($values)),
            JSON_ERROR_DEPTH => EventError::tooDeep($depth),
            JSON_ERROR_UTF8 => EventError::notUtf8(),
            default => EventError::notJson(json_last_error_msg()),
        };
    }
}
