<?php

declare(strict_types=1);

namespace Headroom\Dev\Wrap;

/** @internal */
final readonly class CommentWrapper
{
    public function wrap(string $code): string
    {
        return $code;
    }
}
