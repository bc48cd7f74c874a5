<?php

declare(strict_types=1);

namespace Headroom\Load;

use Headroom\Core\Permanent;
use Headroom\Support\TerminalText;
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
        return new self("Load option {$option} is '".self::shown($seen)."'. It must be {$allowed}.", $option);
    }

    public static function notTogether(string $option, string $other): self
    {
        return new self("Load options {$option} and {$other} exclude each other. Give one of them.", $option);
    }

    /** @param list<string> $known */
    public static function placeholder(string $seen, array $known): self
    {
        return new self(
            'The body has the unknown placeholder {{'.self::shown($seen).'}}. Use '.implode(', ', $known).'.',
            'body',
        );
    }

    public static function remote(string $host): self
    {
        return new self(
            "{$host} is not this machine. If you are allowed to send load to it, add --allow-remote.",
            'url',
        );
    }

    /** @param string $key place in the file, such as steps[1].path */
    public static function scenario(string $file, string $key, string $seen, string $allowed): self
    {
        $place = $key === '' ? 'it' : self::shown($key);

        return new self("{$file}: {$place} ".self::shown($seen).". It must be {$allowed}.", 'scenario');
    }

    /** @param self $reason a setting of the request */
    public static function step(string $file, string $key, self $reason): self
    {
        return new self("{$file}: {$key}: {$reason->getMessage()}", 'scenario');
    }

    public static function data(string $file, string $seen, string $allowed): self
    {
        return new self("{$file} ".self::shown($seen).". It must be {$allowed}.", 'scenario');
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
            "Load option {$option} is '{$path}', which cannot be read. Name a file that this user may read.",
            $option,
        );
    }

    private static function shown(string $value): string
    {
        return TerminalText::name($value, self::SHOWN);
    }
}
