<?php

declare(strict_types=1);

namespace Headroom\Collector\Intake\Json;

use Headroom\Collector\Intake\Limits;
use Headroom\Collector\Intake\Rejected;

use function count;
use function get_debug_type;
use function is_array;
use function json_decode;
use function json_last_error;
use function json_last_error_msg;
use function strlen;

/**
 * One JSON object from outside, checked.
 *
 * @internal
 */
final readonly class Members
{
    /** PHP counts what is in the innermost array as a level of its own. */
    private int $levels;

    /** @param int<1, max> $depth of objects and arrays in each other */
    public function __construct(public int $depth)
    {
        $this->levels = $depth + 1;
    }

    /**
     * @return array{array<array-key, mixed>, array<array-key, string>} values, and the texts they were made of, by name
     *
     * @throws Rejected
     */
    public function of(string $text, int $limit): array
    {
        if (strlen($text) > $limit) {
            throw Rejected::tooLarge(strlen($text), $limit);
        }

        $values = json_decode($text, true, $this->levels);

        // An empty array and an empty object are the same to json_decode().
        if (! is_array($values) || Text::first($text) !== '{') {
            throw self::refusal($values, $this->depth);
        }

        if (count($values) > Limits::MEMBERS) {
            throw Rejected::tooManyMembers(Limits::MEMBERS);
        }

        return [$values, $values === [] ? [] : Text::members($text, count($values))];
    }

    /**
     * Any value, which is only to be JSON.
     *
     * @throws Rejected
     */
    public function check(string $text, int $limit): void
    {
        if (strlen($text) > $limit) {
            throw Rejected::tooLarge(strlen($text), $limit);
        }

        if (json_decode($text, true, $this->levels) === null && json_last_error() !== JSON_ERROR_NONE) {
            throw self::refusal(null, $this->depth);
        }
    }

    private static function refusal(mixed $values, int $depth): Rejected
    {
        return match (json_last_error()) {
            JSON_ERROR_NONE => Rejected::notAnObject(is_array($values) ? 'an array' : get_debug_type($values)),
            JSON_ERROR_DEPTH => Rejected::tooDeep($depth),
            JSON_ERROR_UTF8 => Rejected::notUtf8(),
            default => Rejected::notJson(json_last_error_msg()),
        };
    }
}
