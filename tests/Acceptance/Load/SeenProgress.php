<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Load;

use Headroom\Load\Progress;
use Headroom\Load\Watcher;

final class SeenProgress implements Watcher
{
    /** @var list<Progress> */
    public array $all = [];

    public function watch(Progress $progress): void
    {
        $this->all[] = $progress;
    }
}
