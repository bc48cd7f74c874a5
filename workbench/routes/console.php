<?php

declare(strict_types=1);

use Illuminate\Foundation\Console\ClosureCommand;
use Illuminate\Support\Facades\Artisan;
use Workbench\App\Models\PageView;
use Workbench\App\Models\PageViewBinary;

Artisan::command('workbench:reset', function (): void {
    /** @var ClosureCommand $this */
    PageView::query()->truncate();
    PageViewBinary::query()->truncate();

    $this->info('The tables page_views and page_views_binary are empty.');
})->purpose('Empty the tables that the endpoints write to');
