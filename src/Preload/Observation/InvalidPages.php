<?php

declare(strict_types=1);

namespace Headroom\Preload\Observation;

use Headroom\Core\Permanent;
use Headroom\Host\Log\FileType;
use Headroom\Support\TerminalText;
use RuntimeException;

/**
 * @internal
 */
final class InvalidPages extends RuntimeException implements Permanent
{
    public static function unreadable(string $file, string $reason): self
    {
        return new self(
            "{$file} cannot be read: {$reason}. Name a file with one request per line, such as /posts?page=2",
        );
    }

    public static function tooLarge(string $file, int $limit): self
    {
        return new self(
            "{$file} is larger than {$limit} bytes. Name a file with one request per line;"
                .' use --from-log for an access log.',
        );
    }

    public static function line(string $file, int $line, string $seen, string $wrong): self
    {
        return new self(
            "{$file}, line {$line}: {$wrong}: '".TerminalText::name($seen, 80)
                ."'. Allowed are /path?query, METHOD /path, and METHOD /path BODY for POST, PUT, PATCH and "
                .'DELETE; METHOD is '.implode(', ', PageFile::METHODS).'.',
        );
    }

    public static function none(string $file): self
    {
        return new self(
            "{$file} has no request, only empty lines and comments. Write one request per line, such as /posts?page=2",
        );
    }

    /** @param array<string, int> $seen number of other lines, by kind */
    public static function emptyLog(string $file, int $lines, array $seen): self
    {
        $words = [];

        foreach ($seen as $what => $count) {
            $words[] = "{$count} {$what}";
        }

        return new self(
            "{$file} has no GET request for a page with a status 2xx or 3xx in its {$lines} lines"
            .($words === [] ? '' : ': '.implode(', ', $words)).'.'.FileType::insteadOfAccessLog($file)
            .' Name an access log of nginx or Apache in the common or combined format.',
        );
    }
}
