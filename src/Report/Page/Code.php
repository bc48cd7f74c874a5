<?php

declare(strict_types=1);

namespace Headroom\Report\Page;

/**
 * Text for copying, such as a command or settings. Lines that begin with + or - are coloured as in a patch.
 *
 * @internal
 */
final readonly class Code implements Block
{
    public function __construct(private string $text) {}

    public function toArray(): array
    {
        return ['kind' => 'code', 'text' => $this->text];
    }
}
