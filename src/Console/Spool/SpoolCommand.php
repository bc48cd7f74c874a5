<?php

declare(strict_types=1);

namespace Headroom\Console\Spool;

use Headroom\Console\BaseCommand;
use Headroom\Spool\Services\SpoolServices;

/**
 * @internal
 */
abstract class SpoolCommand extends BaseCommand
{
    public function __construct(protected readonly SpoolServices $spool)
    {
        parent::__construct();
    }
}
