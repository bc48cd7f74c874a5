<?php

declare(strict_types=1);

namespace Headroom\Spool\File;

/**
 * The kernel's reason behind the last failed file call.
 *
 * @internal
 */
final readonly class LastError
{
    public static function message(): string
    {
        $message = error_get_last()['message'] ?? 'unknown reason';
        $colon = strrpos($message, ': ');

        return $colon === false ? $message : substr($message, $colon + 2);
    }
}
