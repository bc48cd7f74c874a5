<?php

declare(strict_types=1);

use Illuminate\Notifications\DatabaseNotification;
use Illuminate\Support\Carbon;
use Illuminate\Support\Facades\Artisan;
use Illuminate\Support\Facades\DB;
use Illuminate\Support\Facades\Redis;
use Workbench\App\Models\Comment;
use Workbench\App\Models\Member;
use Workbench\App\Models\PageView;
use Workbench\App\Models\PageViewBinary;
use Workbench\App\Models\Post;

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
    DB::table('jobs')->truncate();
})->purpose('Empty the tables that the endpoints write to');

// The same posts each time, so that /pages/posts is the same page in every copy.
Artisan::command('workbench:posts {count=12}', function (int $count): void {
    DB::transaction(function () use ($count): void {
        Comment::query()->delete();
        Post::query()->delete();

        for ($n = 1; $n <= $count; $n++) {
            $day = Carbon::parse('2025-12-24 09:30:00')->subDays($n * $n)->addMinutes($n);
            $post = Post::query()->forceCreate([
                'id' => $n,
                'title' => "Post {$n}",
                'body' => str_repeat("What there is to say about {$n}. ", 10),
                'tags' => ['workshop', $n % 2 === 0 ? 'even' : 'odd'],
                'published_at' => $n % 6 === 0 ? null : $day,
                'created_at' => $day,
                'updated_at' => $day,
            ]);

            for ($comment = 1; $comment <= $n % 4; $comment++) {
                $post->comments()
                    ->create(['author' => ['Ada', 'Grace', 'Mary'][$comment - 1], 'text' => "Comment {$comment}"]);
            }
        }
    });
})->purpose('Write the posts that /pages/posts shows');

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
