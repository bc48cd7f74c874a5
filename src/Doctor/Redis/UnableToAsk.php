<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis;

use Headroom\Core\HeadroomException;
use Headroom\Support\TerminalText;
use RuntimeException;

/**
 * @internal
 */
final class UnableToAsk extends RuntimeException implements HeadroomException
{
    public static function notConnected(string $place, string $reason): self
    {
        return new self("{$place} can not be reached: ".TerminalText::name($reason));
    }

    public static function refused(string $place, string $question, string $answer): self
    {
        return new self("{$place} answers {$question} with: ".TerminalText::name($answer));
    }

    public static function cut(string $place, string $question, float $seconds): self
    {
        return new self("{$place} has not answered {$question} within {$seconds} seconds.");
    }

    /** Each answer came in time, and all of them together did not. */
    public static function tooSlow(string $place, string $question, int $seconds): self
    {
        return new self("{$place} had not answered all questions within {$seconds} seconds, and was at {$question}.");
    }

    public static function strange(string $place, string $answer): self
    {
        return new self("{$place} does not speak the protocol of Redis: ".TerminalText::name($answer));
    }
}
