<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Host;

use Headroom\Host\WebConfig;
use Headroom\Host\WebStack;
use Headroom\Process\Proc;
use Headroom\Process\UnableToStart;
use Headroom\Tests\Support\Sentence;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class WebStackTest extends TestCase
{
    private Site $site;

    private ?WebStack $stack = null;

    protected function setUp(): void
    {
        Needs::webStack();
        $this->site = Site::create();
    }

    protected function tearDown(): void
    {
        $this->stack?->stop();

        if (isset($this->site)) {
            $this->site->remove();
        }
    }

    #[Test]
    public function the_front_controller_answers_every_path_with_the_settings_it_was_given(): void
    {
        putenv('HEADROOM_FOREIGN=1');
        $stack = $this->start($this->site->config(
            2,
            ['SITE_ENV' => 'a "b" ; $c'],
            ['memory_limit' => '77M', 'opcache.memory_consumption' => 32],
        ));
        putenv('HEADROOM_FOREIGN');
        $body = random_bytes(300_000);

        $answer = Site::ask($stack->url().'/any/path?sleep=0', $body);

        self::assertSame(['POST', '/any/path', md5($body), 'a "b" ; $c', false, '77M', '32'], [
            $answer['method'], $answer['path'], $answer['body'], $answer['env'], $answer['foreign'],
            $answer['memory_limit'], $answer['opcache'],
        ]);
        self::assertContains($answer['pid'], $stack->workerPids());
    }

    #[Test]
    public function files_are_served_as_they_are_but_php_source_is_not(): void
    {
        $stack = $this->start($this->site->config(1));

        self::assertSame('hello', Site::get($stack->url().'/hello.txt'));
        self::assertStringNotContainsString('source', Site::get($stack->url().'/secret.php'));
        self::assertSame('/secret.php', Site::ask($stack->url().'/secret.php')['path']);
    }

    #[Test]
    public function under_root_the_workers_are_another_user(): void
    {
        $stack = $this->start($this->site->config(1));

        self::assertSame(Site::workersUser(), Site::ask($stack->url())['user']);
        self::assertSame(Site::workersUser(), (new Proc)->owner($stack->workerPids()[0] ?? 0));
    }

    #[Test]
    public function a_killed_worker_is_replaced(): void
    {
        $stack = $this->start($this->site->config(3));
        $before = $stack->workerPids();
        self::assertCount(3, $before);

        $killed = $stack->killRandomWorker();

        self::assertContains($killed, $before);
        $this->eventually(static fn (): bool => count(array_diff($stack->workerPids(), [$killed])) === 3);
        self::assertNotSame($killed, Site::ask($stack->url())['pid']);
    }

    #[Test, Group('day-3')]
    #[RequiresPhpExtension('curl')]
    public function a_hundred_connections_at_once_are_all_answered_and_kept(): void
    {
        $stack = $this->start($this->site->config(10));
        $multi = curl_multi_init();
        curl_multi_setopt($multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, 100);
        $handles = [];

        for ($i = 0; $i < 100; $i++) {
            $handles[$i] = curl_init($stack->url()."/{$i}?sleep=20000");
            self::assertNotFalse($handles[$i]);
            // Each a connection of its own: one that answered in time would be taken again.
            curl_setopt_array(
                $handles[$i],
                [CURLOPT_RETURNTRANSFER => true, CURLOPT_TIMEOUT => 30, CURLOPT_FRESH_CONNECT => true],
            );
            curl_multi_add_handle($multi, $handles[$i]);
        }

        do {
            curl_multi_exec($multi, $running);
            curl_multi_select($multi, 0.1);
        } while ($running > 0);

        $answers = array_map(
            static fn ($handle): array
                => [curl_getinfo($handle, CURLINFO_RESPONSE_CODE), curl_getinfo($handle, CURLINFO_NUM_CONNECTS)],
            $handles,
        );
        self::assertSame(array_fill(0, 100, [200, 1]), $answers);

        // Once more on a connection that is there already.
        $again = curl_init($stack->url().'/again');
        self::assertNotFalse($again);
        curl_setopt($again, CURLOPT_RETURNTRANSFER, true);
        curl_multi_add_handle($multi, $again);

        do {
            curl_multi_exec($multi, $running);
            curl_multi_select($multi, 0.1);
        } while ($running > 0);

        self::assertSame(
            [200, 0],
            [curl_getinfo($again, CURLINFO_RESPONSE_CODE), curl_getinfo($again, CURLINFO_NUM_CONNECTS)],
        );
    }

    #[Test]
    public function status_page_and_access_log_are_there_when_asked_for(): void
    {
        $stack = $this->start(new WebConfig($this->site->front(), 2, statusPath: '/fpm-status', accessLog: true));

        // PHP-FPM answers when the first of them is there.
        $this->eventually(static fn (): bool => preg_match(
            '/^total processes:\s+2$/m',
            Site::get($stack->url().'/fpm-status'),
        ) === 1);
        $this->eventually(static fn (): bool => str_contains(
            (string) file_get_contents($stack->file('access.log')),
            'GET /fpm-status',
        ));
    }

    #[Test]
    public function a_request_over_the_time_limit_is_ended_with_its_worker(): void
    {
        $stack = $this->start(new WebConfig($this->site->front(), 1, requestTerminateSeconds: 1));
        $before = $stack->workerPids();

        self::assertStringContainsString('502', Site::get($stack->url().'/?sleep=20000000'));
        $this->eventually(static fn (): bool => count(array_diff($stack->workerPids(), $before)) === 1);
    }

    #[Test]
    public function stopping_leaves_no_process_and_no_file(): void
    {
        $stack = $this->start($this->site->config(5));
        $proc = new Proc;
        $pids = [
            $stack->fpm()->pid(), $stack->nginx()->pid(), ...$stack->workerPids(), ...$stack->nginx()->workerPids(),
        ];
        self::assertCount(8, $pids);

        $stack->stop();
        $stack->stop();

        self::assertSame([], array_filter($pids, $proc->isAlive(...)));
        self::assertDirectoryDoesNotExist(dirname($stack->file('x')));
    }

    #[Test]
    public function when_nginx_does_not_start_fpm_does_not_stay_behind(): void
    {
        $before = array_keys((new Proc)->descendants((int) getmypid()));
        putenv('HEADROOM_NGINX=/bin/false');

        try {
            $this->start($this->site->config(2));
            self::fail('That is not an nginx.');
        } catch (UnableToStart $e) {
            Sentence::assertIn(UnableToStart::exited('nginx', 1, Sentence::ANY), $e->getMessage());
        } finally {
            putenv('HEADROOM_NGINX');
        }

        self::assertSame([], array_diff(array_keys((new Proc)->descendants((int) getmypid())), $before));
    }

    #[Test]
    public function nothing_outlives_a_starter_that_is_killed(): void
    {
        Needs::program('setpriv', 'util-linux');

        $pids = Starter::killed(WebStack::class, $this->site->front(), 3);

        // FPM's master and three workers, nginx's master and one worker.
        self::assertCount(6, $pids);
        $proc = new Proc;
        $this->eventually(static fn (): bool => array_filter($pids, $proc->isAlive(...)) === []);
    }

    #[Test]
    public function nothing_outlives_a_starter_that_fails(): void
    {
        $pids = Starter::failed(WebStack::class, $this->site->front(), 3);

        self::assertCount(6, $pids);
        self::assertSame([], array_filter($pids, (new Proc)->isAlive(...)));
    }

    private function start(WebConfig $config): WebStack
    {
        return $this->stack = WebStack::start($config);
    }

    /** @param callable(): bool $condition */
    private function eventually(callable $condition): void
    {
        for ($try = 0; $try < 500; $try++) {
            if ($condition()) {
                $this->addToAssertionCount(1);

                return;
            }

            usleep(20_000);
        }

        self::fail('It has not come about in 10 seconds.');
    }
}
