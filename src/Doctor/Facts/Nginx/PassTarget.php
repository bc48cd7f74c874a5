<?php

declare(strict_types=1);

namespace Headroom\Doctor\Facts\Nginx;

/**
 * @internal
 */
enum PassTarget
{
    case Upstream;
    case Socket;
    case Address;

    /** Only a request tells. */
    case Variable;

    public static function of(string $target, ?Upstream $upstream): self
    {
        return match (true) {
            Variables::in($target) !== [] => self::Variable,
            $upstream !== null => self::Upstream,
            str_starts_with($target, 'unix:') => self::Socket,
            default => self::Address,
        };
    }
}
