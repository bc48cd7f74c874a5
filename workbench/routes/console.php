<?php

declare(strict_types=1);

use Illuminate\Notifications\DatabaseNotification;
use Illuminate\Support\Facades\Artisan;
use Illuminate\Support\Facades\DB;
use Workbench\App\Models\Member;
use Workbench\App\Models\PageView;
use Workbench\App\Models\PageViewBinary;

// The write buffer's flush schedules itself; nothing needs to be listed for it here.
Artisan::command('workbench:reset', function (): void {
    PageView::query()->truncate();
    PageViewBinary::query()->truncate();
    DB::table('webhooks')->truncate();
    DB::table('pushes')->truncate();
    DB::table('api_usage')->truncate();
    Member::query()->truncate();
    DatabaseNotification::query()->truncate();
})->purpose('Empty the tables that the endpoints write to');
