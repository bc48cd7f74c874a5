<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis;

use Headroom\Doctor\FactUnavailable;
use Headroom\Support\TerminalText;

/**
 * @internal
 */
final readonly class UnreadableRedis
{
    public static function notConnected(string $place, string $reason): FactUnavailable
    {
        return FactUnavailable::because("{$place} cannot be reached: ".TerminalText::name($reason));
    }

    public static function refused(string $place, string $question, string $answer): FactUnavailable
    {
        return FactUnavailable::because("{$place} answers {$question} with: ".TerminalText::name($answer));
    }

    public static function cut(string $place, string $question, float $seconds): FactUnavailable
    {
        return FactUnavailable::because("{$place} has not answered {$question} within {$seconds} seconds.");
    }

    /** Each reply was in time, and all of them together were not. */
    public static function tooSlow(string $place, string $question, int $seconds): FactUnavailable
    {
        return FactUnavailable::because(
            "{$place} had not answered all commands within {$seconds} seconds, the last one {$question}.",
        );
    }

    public static function strange(string $place, string $answer): FactUnavailable
    {
        return FactUnavailable::because("{$place} does not speak the protocol of Redis: ".TerminalText::name($answer));
    }
}
