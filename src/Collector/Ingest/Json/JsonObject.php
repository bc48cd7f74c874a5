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
 * Reads and validates one JSON object of a client.
 *
 * @internal
 */
final readonly class JsonObject
{
    /**
     * Objects with more names are not decoded into a PHP array. A client can choose names that collide in its hash
     * table, where each insert walks through all earlier ones: 256 KiB of them block the loop for a third of a second.
     */
    private const MAX_DECODED_NAMES = 256;

    /** PHP counts the content of the innermost array as another level. */
    private int $levels;

    /** @param int<1, max> $depth levels of nesting */
    public function __construct(public int $depth)
    {
        $this->levels = $depth + 1;
    }

    /**
     * @return array{array<array-key, mixed>, array<array-key, string>} decoded values and their texts, by name. A value
     *     may lack the content of an object or an array
     *
     * @throws EventError
     */
    public function read(string $text, int $limit): array
    {
        if (strlen($text) > $limit) {
            throw EventError::tooLarge(strlen($text), $limit);
        }

        $hasFew = substr_count($text, ':') <= self::MAX_DECODED_NAMES;
        $values = json_decode($hasFew ? $text : JsonSplitter::nameless($text), true, $this->levels);

        // json_decode() returns the same for an empty array and an empty object.
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
     * Checks that the text is JSON.
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
                substr_count($text, ':') <= self::MAX_DECODED_NAMES ? $text : JsonSplitter::nameless($text),
                true,
                $this->levels,
            ) === null
            && json_last_error() !== JSON_ERROR_NONE
        ) {
            throw self::refusal(null, $this->depth);
        }
    }

    /** @param string $text valid JSON */
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
