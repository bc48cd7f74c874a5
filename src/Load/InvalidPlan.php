<?php

declare(strict_types=1);

namespace Headroom\Load;

use Headroom\Core\Permanent;
use InvalidArgumentException;

final class InvalidPlan extends InvalidArgumentException implements Permanent
{
    private const SHOWN = 80;

    private function __construct(string $message, public readonly string $option)
    {
        parent::__construct($message);
    }

    public static function option(string $option, string $seen, string $allowed): self
    {
        $shown = strlen($seen) > self::SHOWN ? substr($seen, 0, self::SHOWN).'…' : $seen;

        return new self("Load option {$option} is '{$shown}'. It must be {$allowed}.", $option);
    }

    public static function notTogether(string $option, string $other): self
    {
        return new self("Load options {$option} and {$other} were both given. Give one of them.", $option);
    }

    /** @param list<string> $known */
    public static function placeholder(string $seen, array $known): self
    {
        return new self(
            "The body template has {{{$seen}}}, which is no placeholder. Known are: ".implode(', ', $known).'.',
            'body',
        );
    }

    public static function notOurs(string $host): self
    {
        return new self(
            "{$host} is not this machine. Load is sent only to hosts whose owner agrees: if that is you,"
                .' add --i-own-this-host.',
            'url',
        );
    }

    /** @param string $key where in the file: steps[1].path */
    public static function scenario(string $file, string $key, string $seen, string $allowed): self
    {
        $shown = strlen($seen) > self::SHOWN ? substr($seen, 0, self::SHOWN).'…' : $seen;

        return new self("{$file}: ".($key === '' ? 'it' : $key)." {$shown}. It must be {$allowed}.", 'scenario');
    }

    public static function data(string $file, string $seen, string $allowed): self
    {
        return new self("{$file} {$seen}. It must be {$allowed}.", 'scenario');
    }

    public static function log(string $message): self
    {
        return new self($message, 'replay');
    }

    public static function needs(string $option, string $other, string $why): self
    {
        return new self("Load option {$option} needs {$other}: {$why}.", $option);
    }

    public static function unreadable(string $option, string $path): self
    {
        return new self(
            "Load option {$option} names '{$path}', which cannot be read. Name a file that this user may read.",
            $option,
        );
    }
}
