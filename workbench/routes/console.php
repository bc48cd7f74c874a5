<?php

declare(strict_types=1);

use Illuminate\Notifications\DatabaseNotification;
use Illuminate\Support\Facades\Artisan;
use Workbench\App\Models\Member;
use Workbench\App\Models\PageView;
use Workbench\App\Models\PageViewBinary;

// The write buffer's flush schedules itself; nothing needs to be listed for it here.
Artisan::command('workbench:reset', function (): void {
    PageView::query()->truncate();
    PageViewBinary::query()->truncate();
    Member::query()->truncate();
    DatabaseNotification::query()->truncate();
})->purpose('Empty the tables that the endpoints write to');
