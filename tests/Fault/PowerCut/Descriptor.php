<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\PowerCut;

final class Descriptor
{
    public int $position = 0;

    public function __construct(
        public readonly Inode $inode,
        public readonly string $path,
        public readonly bool $appends,
    ) {}
}
