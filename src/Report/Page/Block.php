<?php

declare(strict_types=1);

namespace Headroom\Report\Page;

/**
 * A piece of a section.
 *
 * @internal
 */
interface Block
{
    /**
     * @return array<string, mixed> what resources/js draws: "kind", and what is to be seen. Text is plain text,
     *     never markup
     */
    public function toArray(): array;
}
