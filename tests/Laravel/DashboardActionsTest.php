<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Laravel\Doctor\DoctorLauncher;
use Headroom\Laravel\Doctor\DoctorRun;
use Headroom\Spool\BucketStatus;
use Headroom\Spool\Events\BucketPaused;
use Headroom\Spool\Events\BucketResumed;
use Headroom\Tests\Laravel\Support\DashboardTestCase;
use Headroom\Tests\Support\Sentence;
use Illuminate\Contracts\Http\Kernel;
use Illuminate\Routing\Router;
use Illuminate\Session\SessionManager;
use Illuminate\Support\Facades\Event;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\HttpFoundation\Response;
use Symfony\Component\HttpFoundation\StreamedResponse;

/**
 * What a user of the dashboard may do, and what each action does.
 */
final class DashboardActionsTest extends DashboardTestCase
{
    private const ACTIONS = ['pause', 'resume', 'retry', 'forget', 'export', 'doctor'];

    #[Test]
    public function without_the_token_of_the_session_each_action_is_refused(): void
    {
        $this->open();

        foreach (self::ACTIONS as $action) {
            foreach (['', 'forged', $this->token] as $csrf) {
                $response = $this->act($action, ['bucket' => 'logs', 'all' => true], ['X-CSRF-TOKEN' => $csrf]);
                self::assertSame([419, 'application/problem+json'], [
                    $response->getStatusCode(), $response->headers->get('Content-Type'),
                ], $action);
            }
        }
    }

    /** @param array<string, string> $headers */
    #[Test]
    #[TestWith([['Origin' => 'https://evil.example']])]
    #[TestWith([['Origin' => 'null']])]
    #[TestWith([['Sec-Fetch-Site' => 'cross-site']])]
    #[TestWith([['Sec-Fetch-Site' => 'same-site', 'Origin' => 'http://other.localhost']])]
    public function a_page_of_another_origin_is_refused(array $headers): void
    {
        $this->open();

        self::assertSame(403, $this->act('pause', ['bucket' => 'logs'], $headers)->getStatusCode());
        self::assertNull($this->bucket('logs')['paused']);
    }

    #[Test]
    public function only_json_by_post_is_an_action(): void
    {
        $this->open();
        $form = Request::create('/headroom/actions/pause', 'POST', ['bucket' => 'logs', '_token' => $this->csrf]);

        self::assertSame(415, $this->send($form)->getStatusCode());
        self::assertSame(405, $this->send(Request::create('/headroom/actions/pause'))->getStatusCode());
        self::assertSame(404, $this->act('drop', ['bucket' => 'logs'])->getStatusCode());
        self::assertNull($this->bucket('logs')['paused']);
    }

    #[Test]
    public function a_user_that_may_only_view_is_refused(): void
    {
        $this->open(3);

        foreach (self::ACTIONS as $action) {
            self::assertSame(403, $this->act($action, ['bucket' => 'logs', 'all' => true])->getStatusCode(), $action);
        }

        self::assertNull($this->bucket('logs')['paused']);
    }

    #[Test]
    public function a_pause_names_its_user_and_reason_and_is_logged_and_told_to_listeners(): void
    {
        $this->open();
        Event::fake([BucketPaused::class, BucketResumed::class]);
        $own = ['Origin' => 'http://localhost', 'Sec-Fetch-Site' => 'same-origin'];
        $paused = self::decoded($this->act('pause', ['bucket' => 'logs', 'reason' => "new\ndisk"], $own));

        self::assertSame([1, 0], [$paused['done'], $paused['remaining']]);
        $pause = $this->bucket('logs')['paused'];
        self::assertIsArray($pause);
        self::assertSame('user 7 of the dashboard (new\ndisk)', $pause['by']);
        self::assertSame('paused', $this->bucket('logs')['state']);
        self::assertSame(0, self::decoded($this->act('pause', ['bucket' => 'logs']))['done']);
        self::assertSame(1, self::decoded($this->act('resume', ['bucket' => 'logs']))['done']);
        self::assertSame(0, self::decoded($this->act('resume', ['bucket' => 'logs']))['done']);
        self::assertNull($this->bucket('logs')['paused']);
        Event::assertDispatchedTimes(BucketPaused::class, 1);
        Event::assertDispatchedTimes(BucketResumed::class, 1);
        self::assertMatchesRegularExpression(
            '~INFO: headroom: user 7 at 127\.0\.0\.1: pause logs, 1: new\\\\ndisk \{"action":"pause","bucket":"logs",'
                .'"count":1,"user":"7","address":"127\.0\.0\.1"~',
            $this->app()->log(),
        );
    }

    #[Test]
    public function the_page_shows_a_pause_at_once_although_numbers_are_kept(): void
    {
        $this->open();
        self::assertNull($this->bucket('logs')['paused']);
        $this->act('pause', ['bucket' => 'logs']);

        self::assertNotNull($this->bucket('logs')['paused']);
    }

    #[Test]
    public function an_unknown_bucket_is_not_found_and_makes_no_file(): void
    {
        $this->open();

        foreach (['nowhere', '../logs', "logs\0", '', null, ['logs']] as $bucket) {
            foreach (['pause', 'resume', 'retry', 'forget', 'export'] as $action) {
                self::assertSame(404, $this->act($action, ['bucket' => $bucket, 'all' => true])->getStatusCode());
            }
        }

        self::assertFileDoesNotExist($this->spool()->config()->path.'/paused');
    }

    #[Test]
    public function letters_are_retried_and_forgotten_by_id_by_kind_and_all(): void
    {
        $this->open();
        $this->letters(5);
        $ids = array_column(self::list($this->json('buckets/page_visits/dead'), 'letters'), 'id');
        self::assertCount(5, $ids);

        self::assertSame(2, $this->done('forget', ['ids' => array_slice($ids, 0, 2)]));
        self::assertSame(0, $this->done('forget', ['ids' => array_slice($ids, 0, 2)]));
        self::assertSame(1, $this->done('retry', ['ids' => [$ids[2]]]));
        self::assertSame([1, 2], [$this->pageVisits()->events->pending, $this->pageVisits()->storage->letters]);
        $kinds = self::list($this->json('buckets/page_visits/dead'), 'kinds');
        self::assertIsArray($kinds[0]);
        self::assertSame([1, 2], [count($kinds), $kinds[0]['letters']]);
        self::assertSame(0, $this->done('retry', ['kind' => 'another']));
        self::assertSame(2, $this->done('retry', ['kind' => $kinds[0]['kind']]));
        self::assertSame(0, $this->json('buckets/page_visits/dead')['total']);
        self::assertSame(0, $this->done('retry', ['all' => true]));
    }

    #[Test]
    public function a_guessed_or_foreign_id_does_nothing(): void
    {
        $this->open();
        $this->letters(2);
        $ids = array_column(self::list($this->json('buckets/page_visits/dead'), 'letters'), 'id');
        self::assertIsString($ids[0]);
        $guesses = [
            'page_visits:9-9-9', 'logs:1-144-0', '../../page_visits:1-1-1', 'page_visits:1-1', "{$ids[0]}\n", '', 7,
            null,
            str_replace('page_visits', 'logs', $ids[0]), 'page_visits:99999999999999999999-1-1',
        ];

        self::assertSame(0, $this->done('forget', ['ids' => $guesses]));
        self::assertSame(
            404,
            $this->act('forget', ['bucket' => 'page_visits/../logs', 'ids' => $ids])->getStatusCode(),
        );
        self::assertSame(422, $this->act('forget', ['bucket' => 'page_visits'])->getStatusCode());
        self::assertSame(422, $this->act('forget', ['bucket' => 'page_visits', 'all' => 'yes'])->getStatusCode());
        // The same place in another bucket is another letter.
        self::assertSame(0, self::decoded($this->act('forget', ['bucket' => 'logs', 'ids' => $ids]))['done']);
        self::assertSame(2, $this->json('buckets/page_visits/dead')['total']);
    }

    #[Test]
    public function a_corrupt_letter_is_shown_is_not_retried_and_can_be_forgotten(): void
    {
        $this->open();
        $this->letters(3);
        $directory = $this->spool()->store()->layout('page_visits')->dead;
        $files = (array) glob("{$directory}/*.json");
        file_put_contents((string) $files[1], '{"<script>');

        $page = $this->json('buckets/page_visits/dead');
        self::assertSame([false, true, false], array_column(self::list($page, 'letters'), 'corrupt'));
        self::assertSame(2, $this->done('retry', ['all' => true]));
        self::assertSame(1, $this->done('forget', ['all' => true]));
        self::assertSame(0, $this->json('buckets/page_visits/dead')['total']);
    }

    #[Test]
    public function an_export_has_a_line_a_letter_without_secrets_and_is_logged(): void
    {
        $this->open();
        $this->letters(3, ['Password' => 'geheim', 'note' => str_repeat('ä', 3_000)]);
        $response = $this->act('export', ['bucket' => 'page_visits', 'all' => true]);
        $lines = explode("\n", trim(self::streamed($response)));

        self::assertSame('application/x-ndjson', $response->headers->get('Content-Type'));
        self::assertStringStartsWith('attachment;', (string) $response->headers->get('Content-Disposition'));
        self::assertCount(3, $lines);

        foreach ($lines as $line) {
            $letter = json_decode($line, true, 512, JSON_THROW_ON_ERROR);
            self::assertIsArray($letter);
            self::assertIsArray($letter['event']);
            self::assertSame(['[redacted]', str_repeat('ä', 3_000)], [
                $letter['event']['Password'], $letter['event']['note'],
            ]);
        }

        self::assertStringContainsString('export page_visits, 3', $this->app()->log());
        self::assertSame(3, $this->json('buckets/page_visits/dead')['total']);
    }

    #[Test]
    public function a_missing_session_table_is_a_problem_that_names_the_command(): void
    {
        $this->boot();
        $this->open();
        $this->set('session.driver', 'database');
        $this->app()->app->make(SessionManager::class)->forgetDrivers();

        foreach ([
            'pause' => '`php artisan spool:pause logs`', 'retry' => '`php artisan spool:retry --bucket=logs`',
            'doctor' => '`php artisan headroom:doctor`',
        ] as $action => $command) {
            $response = $this->act($action, ['bucket' => 'logs', 'all' => true]);
            self::assertSame(503, $response->getStatusCode(), (string) $response->getContent());
            self::assertStringContainsString($command, self::text(self::decoded($response), 'detail'));
        }

        // The open page goes on.
        self::assertSame(200, $this->data('now')->getStatusCode());
    }

    #[Test]
    public function without_a_session_no_action_is_possible(): void
    {
        $this->workbench = WorkbenchApplication::boot(['APP_ENV' => 'local', 'APP_KEY' => self::KEY]);
        // As with the setting `middleware` => []. The kernel sets the groups when it is made.
        $this->workbench->app->make(Kernel::class);
        $this->workbench->app->make(Router::class)->middlewareGroup('web', []);
        $response = $this->act('pause', ['bucket' => 'logs']);

        self::assertSame(403, $response->getStatusCode());
        Sentence::assertNames(
            ["'web'", 'headroom.dashboard.middleware'],
            self::text(self::decoded($response), 'detail'),
        );
    }

    #[Test]
    public function the_doctor_runs_once_at_a_time_and_its_report_is_shown(): void
    {
        $this->open();
        $run = new DoctorRun($this->app()->app, $this->spool()->clock());
        $lock = $run->lock();
        self::assertIsResource($lock);
        $running = $this->doctor();
        self::assertSame('running', $running['state']);
        self::assertEqualsWithDelta(microtime(true), $running['started_at'], 120);
        self::assertSame(409, $this->act('doctor', [])->getStatusCode());
        fclose($lock);

        $this->app()->artisan('headroom:doctor', ['--json' => true, '--fail-on' => 'never']);
        $shown = $this->doctor();
        self::assertSame('done', $shown['state']);
        self::assertIsArray($shown['report']);
        self::assertArrayHasKey('findings', $shown['report']);
        $file = $this->app()->app->storagePath('framework/headroom-doctor.json');
        self::assertSame(0600, fileperms($file) & 0777);
        $before = file_get_contents($file);
        $this->app()->artisan('headroom:doctor', ['--json' => true, '--fail-on' => 'never', '--only' => ['L1']]);
        self::assertSame($before, file_get_contents($file));
    }

    #[Test]
    public function a_page_that_asks_whether_the_doctor_runs_does_not_keep_it_from_starting(): void
    {
        $this->boot();
        $run = new DoctorRun($this->app()->app, $this->spool()->clock());
        $file = $this->app()->app->storagePath('framework/headroom-doctor.json.lock');
        touch($file);
        $page = proc_open([PHP_BINARY, '-r', sprintf(
            '$file = fopen(%s, "r"); flock($file, LOCK_SH); echo "shared"; usleep(100_000);',
            var_export($file, true),
        )], [1 => ['pipe', 'w']], $pipes);
        self::assertIsResource($page);
        self::assertSame('shared', fread($pipes[1], 6));
        self::assertIsResource($run->lock());
        proc_close($page);
    }

    #[Test]
    public function a_report_of_root_is_given_to_the_owner_of_the_directory(): void
    {
        if (posix_geteuid() !== 0) {
            self::markTestSkipped('Only root can give a file away.');
        }

        $this->open();
        $directory = $this->app()->app->storagePath('framework');
        chown($directory, 33);
        (new DoctorRun($this->app()->app, $this->spool()->clock()))->done(['findings' => []]);

        self::assertSame(33, fileowner("{$directory}/headroom-doctor.json"));
        self::assertSame('done', $this->doctor()['state']);
    }

    #[Test]
    public function a_report_that_cannot_be_read_is_named(): void
    {
        $this->open();
        $path = $this->app()->app->storagePath('framework/headroom-doctor.json');
        mkdir($path);
        $shown = $this->doctor();

        self::assertSame(['failed', null], [$shown['state'], $shown['report']]);
        self::assertIsString($shown['detail']);
        Sentence::assertNames([$path], $shown['detail']);
    }

    #[Test]
    public function a_doctor_that_could_not_save_its_report_is_not_started(): void
    {
        $app = $this->boot()->app;
        $clock = $this->spool()->clock();
        $app->useStoragePath('/nowhere');

        Sentence::assertNames(
            ['/nowhere/framework', 'php artisan headroom:doctor'],
            (string) (new DoctorLauncher($app, $clock))->start(),
        );
    }

    /** @param array<string, mixed> $extra */
    private function letters(int $count, array $extra = []): void
    {
        $this->app()->migrate();

        for ($number = 0; $number < $count; $number++) {
            $this->buffer('page_visits', ['nocolumn' => "value {$number}", ...$extra]);
        }

        $this->app()->artisan('spool:flush', ['bucket' => ['page_visits'], '--bury' => true]);
    }

    /** @return array<array-key, mixed> */
    private function doctor(): array
    {
        return self::list($this->json('machine'), 'doctor');
    }

    private function pageVisits(): BucketStatus
    {
        foreach ($this->spool()->statusWithoutSql()->buckets as $bucket) {
            if ($bucket->bucket === 'page_visits') {
                return $bucket;
            }
        }

        self::fail('There is no bucket page_visits.');
    }

    /** @param array<string, mixed> $body */
    private function done(string $action, array $body): int
    {
        $response = $this->act($action, ['bucket' => 'page_visits', ...$body]);
        self::assertSame(200, $response->getStatusCode(), (string) $response->getContent());
        $answer = self::decoded($response);
        self::assertIsInt($answer['done']);
        self::assertSame([0, null], [$answer['remaining'], $answer['next']]);

        return $answer['done'];
    }

    private static function streamed(Response $response): string
    {
        self::assertInstanceOf(StreamedResponse::class, $response);
        ob_start();
        $response->sendContent();

        return (string) ob_get_clean();
    }

    /** @param array<string, mixed> $values */
    private static function text(array $values, string $name): string
    {
        self::assertIsString($values[$name]);

        return $values[$name];
    }
}
