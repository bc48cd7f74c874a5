<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Load;

use Headroom\Load\Metrics\Progress;
use Headroom\Load\Metrics\ProgressListener;

final class SeenProgress implements ProgressListener
{
    /** @var list<Progress> */
    public array $all = [];

    public function progressed(Progress $progress): void
    {
        $this->all[] = $progress;
    }
}
