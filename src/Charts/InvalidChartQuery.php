<?php

declare(strict_types=1);

namespace Headroom\Charts;

use Headroom\Core\Permanent;
use Headroom\Support\TerminalText;
use InvalidArgumentException;

/**
 * A parameter of a chart query is missing, unknown or out of range.
 *
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
        $shown = is_string($seen)
            ? "'".TerminalText::name($seen, 80)."'"
            : (is_int($seen) ? (string) $seen : get_debug_type($seen));

        return new self($parameter, "The parameter '{$parameter}' is {$shown}. It must be {$allowed}.");
    }

    /** @param list<string> $known */
    public static function unknown(string $parameter, array $known): self
    {
        return new self(
            $parameter,
            "The parameter '".TerminalText::name($parameter, 80)."' is unknown. Known are: ".implode(', ', $known).'.',
        );
    }

    public static function both(string $one, string $other): self
    {
        return new self($one, "The parameters '{$one}' and '{$other}' are both set. Set only one.");
    }

    public static function noRange(int $from, int $to): self
    {
        return new self(
            'from',
            "The range from '".gmdate('Y-m-d\TH:i:s\Z', $from)."' to '".gmdate('Y-m-d\TH:i:s\Z', $to)
                ."' is empty. 'from' must be before 'to'.",
        );
    }

    public static function tooLong(int $days, int $most): self
    {
        return new self('from', "The range has {$days} days; the limit is {$most}. Query a shorter range.");
    }

    public static function tooManyBuckets(int $step, int $buckets, int $most, int $instead): self
    {
        return new self(
            'interval',
            "An interval of {$step} s gives {$buckets} points in this range; the limit is {$most}."
                ." Remove the parameter 'interval', or set it to {$instead} s.",
        );
    }
}
