<?php

declare(strict_types=1);

use Illuminate\Notifications\DatabaseNotification;
use Illuminate\Support\Carbon;
use Illuminate\Support\Facades\Artisan;
use Illuminate\Support\Facades\DB;
use Illuminate\Support\Facades\Redis;
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
    DB::table('logs')->truncate();
    Member::query()->truncate();
    DatabaseNotification::query()->truncate();
})->purpose('Empty the tables that the endpoints write to');

// What somebody writes by hand to empty the stream of /events/xadd: the benchmark's other side. It reads, inserts and
// deletes; a kill between two of these doubles events.
Artisan::command('workbench:consume', function (): void {
    $goOn = true;
    pcntl_async_signals(true);
    pcntl_signal(SIGTERM, function () use (&$goOn): void {
        $goOn = false;
    });

    while ($goOn) {
        $entries = Redis::xrange('page-views', '-', '+', 1000);

        if ($entries === []) {
            sleep(1);

            continue;
        }

        DB::table('page_views')->insert(array_map(function (array $entry): array {
            $row = json_decode($entry['event'], true, flags: JSON_THROW_ON_ERROR);

            return [...$row, 'created_at' => Carbon::parse($row['created_at'])];
        }, array_values($entries)));
        Redis::xdel('page-views', array_keys($entries));
    }
})->purpose('Empty the stream of /events/xadd until SIGTERM');
