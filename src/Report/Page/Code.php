<?php

declare(strict_types=1);

namespace Headroom\Report\Page;

/**
 * Text to be copied as it stands: a command, settings.
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
