<?php

declare(strict_types=1);

namespace Headroom\Preload\Observation;

use Headroom\Core\Permanent;
use Headroom\Support\TerminalText;
use RuntimeException;

/**
 * @internal
 */
final class InvalidSamples extends RuntimeException implements Permanent
{
    private function __construct(string $message, public readonly string $pathOfFile)
    {
        parent::__construct($message);
    }

    public static function unreadable(string $file, string $reason): self
    {
        return new self(
            "{$file} cannot be read: {$reason}. The workers write it. Run this command as their user, or as a user of"
                .' their group.',
            $file,
        );
    }

    public static function foreign(string $file, string $text): self
    {
        return new self(
            "{$file} is not a file of samples; it begins with '".TerminalText::name($text, 40)
                ."'. Remove it; the next sample creates a new one.",
            $file,
        );
    }

    public static function version(string $file, mixed $seen, int $known): self
    {
        return new self(
            "{$file} was written by another version of Headroom: version "
                .TerminalText::name((string) json_encode($seen), 20)
                .", and this version reads {$known}. Remove it; the next sample creates a new one.",
            $file,
        );
    }

    public static function field(string $file, string $field, string $allowed): self
    {
        return new self(
            "{$file} is damaged: '{$field}' is not {$allowed}. Remove it; the next sample creates a new one.",
            $file,
        );
    }
}
