<?php

declare(strict_types=1);

namespace Workbench\App\Jobs;

use Illuminate\Contracts\Queue\ShouldQueue;

/**
 * What a queue costs is seen where the job costs nothing.
 */
final class EmptyJob implements ShouldQueue
{
    public function handle(): void {}
}
