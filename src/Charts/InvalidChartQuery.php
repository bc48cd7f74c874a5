<?php

declare(strict_types=1);

namespace Headroom\Charts;

use Headroom\Core\Permanent;
use Headroom\Support\TerminalText;
use InvalidArgumentException;

/**
 * @internal
 */
final class InvalidChartQuery extends InvalidArgumentException implements Permanent
{
    private function __construct(public readonly string $parameter, string $message)
    {
        parent::__construct(TerminalText::line($message));
    }

    public static function notAllowed(string $parameter, mixed $seen, string $allowed): self
    {
        $shown = is_string($seen) ? "'".TerminalText::name($seen, 80)."'" : (is_int($seen) ? (string) $seen : get_debug_type($seen));

        return new self($parameter, "The parameter '{$parameter}' is {$shown}. It must be {$allowed}.");
    }

    /** @param list<string> $known */
    public static function unknown(string $parameter, array $known): self
    {
        return new self($parameter, "There is no parameter '".TerminalText::name($parameter, 80)."'. There are: ".implode(', ', $known).'.');
    }

    public static function both(string $one, string $other): self
    {
        return new self($one, "The parameters '{$one}' and '{$other}' are both there. Give one of them.");
    }

    public static function noRange(int $from, int $to): self
    {
        return new self('from', "The range from '".gmdate('Y-m-d\TH:i:s\Z', $from)."' to '".gmdate('Y-m-d\TH:i:s\Z', $to)."' has no time in it. 'from' must be before 'to'.");
    }

    public static function tooLong(int $days, int $most): self
    {
        return new self('from', "The range has {$days} days; {$most} are the limit. Ask for less at a time.");
    }

    public static function tooManyBuckets(int $step, int $buckets, int $most, int $instead): self
    {
        return new self('interval', "An interval of {$step} s makes {$buckets} points of this range; {$most} are the limit. Leave the parameter 'interval' out, or take {$instead} s.");
    }
}
