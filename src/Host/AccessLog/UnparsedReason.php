<?php

declare(strict_types=1);

namespace Headroom\Host\AccessLog;

/**
 * @internal
 */
enum UnparsedReason: string
{
    case Empty = 'empty';
    case NotAccessLog = 'not_access_log';
    case InvalidDate = 'invalid_date';
    case OpenQuote = 'open_quote';
    case TooLong = 'too_long';

    public function words(): string
    {
        return match ($this) {
            self::Empty => 'an empty line',
            self::NotAccessLog => 'not in the common or combined format',
            self::InvalidDate => 'a date that does not exist',
            self::OpenQuote => 'a quote that is not closed: the line was cut off',
            self::TooLong => 'longer than a line can be',
        };
    }
}
