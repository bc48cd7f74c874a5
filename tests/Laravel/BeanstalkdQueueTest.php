<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Tests\Support\SharedBeanstalkd;
use Illuminate\Container\Container;
use Illuminate\Queue\BeanstalkdQueue;
use Illuminate\Queue\Connectors\BeanstalkdConnector;
use Illuminate\Queue\Jobs\BeanstalkdJob;
use Illuminate\Queue\Queue;
use Pheanstalk\Exception\ConnectionException;
use Pheanstalk\Exception\DeadlineSoonException;
use Pheanstalk\Exception\JobNotFoundException;
use Pheanstalk\Exception\JobTooBigException;
use Pheanstalk\Exception\NotIgnoredException;
use Pheanstalk\Pheanstalk;
use Pheanstalk\Values\JobId;
use Pheanstalk\Values\TubeName;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Laravel's queue `beanstalkd` with the pda/pheanstalk that is installed, the real one or the stand-in,
 * on a real server.
 */
final class BeanstalkdQueueTest extends TestCase
{
    private const LIMIT = 65_535;

    private int $port;

    /** A tube of this test alone. */
    private string $tube;

    protected function setUp(): void
    {
        $this->port = SharedBeanstalkd::port();
        $this->tube = 'test-'.bin2hex(random_bytes(6));
        // An application that was there before leaves its own behind, in a static property.
        Queue::createPayloadUsing(null);
    }

    #[Test]
    public function a_job_is_pushed_popped_and_deleted(): void
    {
        $queue = $this->queue();
        $id = $queue->push('App\\Job@handle', ['answer' => 42]);
        self::assertInstanceOf(JobId::class, $id);
        self::assertSame(1, $queue->size());

        $job = self::popped($queue);
        self::assertSame(
            [$id->getId(), ['answer' => 42], 1],
            [$job->getPheanstalkJob()->getId(), $job->payload()['data'], $job->attempts()],
        );
        self::assertSame([0, 1, 0], $this->counted());
        self::assertNull($queue->pop());

        $job->delete();
        self::assertSame([0, 0, 0], $this->counted());
        self::assertNull($queue->pop());
    }

    #[Test]
    public function a_released_job_comes_back_and_knows_its_attempts(): void
    {
        $queue = $this->queue();
        $queue->push('App\\Job@handle');
        self::popped($queue)->release();

        self::assertSame(2, self::popped($queue)->attempts());
    }

    #[Test]
    public function a_delayed_job_counts_and_is_not_popped(): void
    {
        $queue = $this->queue();
        $queue->later(600, 'App\\Job@handle');

        self::assertNull($queue->pop());
        self::assertSame([0, 0, 1], $this->counted());
    }

    #[Test]
    public function a_buried_job_is_out_of_the_way_until_it_is_kicked(): void
    {
        $queue = $this->queue();
        $queue->push('App\\Job@handle');
        self::popped($queue)->bury();
        self::assertNull($queue->pop());
        $client = $queue->getPheanstalk();

        self::assertSame(1, $client->kick(10));
        self::assertSame(2, self::popped($queue)->attempts());
    }

    #[Test]
    public function a_worker_of_two_queues_takes_from_the_one_it_asks(): void
    {
        $queue = $this->queue();
        $queue->push('App\\First@handle', '', "{$this->tube}-1");
        $queue->push('App\\Second@handle', '', "{$this->tube}-2");

        self::assertSame('App\\Second@handle', self::popped($queue, "{$this->tube}-2")->getName());
        self::assertNull($queue->pop("{$this->tube}-2"));
        self::assertSame('App\\First@handle', self::popped($queue, "{$this->tube}-1")->getName());
    }

    #[Test]
    public function a_body_comes_back_byte_by_byte_up_to_the_servers_limit(): void
    {
        $queue = $this->queue();
        $bodies = [
            '', "\r\n", "DELETED\r\n\0", substr(str_repeat("\0\r\n\xff\u{e9}RESERVED 1 2", 10_000), 0, self::LIMIT),
        ];

        foreach ($bodies as $body) {
            $queue->pushRaw($body);
        }

        foreach ($bodies as $body) {
            $job = self::popped($queue);
            self::assertSame(md5($body), md5($job->getRawBody()));
            $job->delete();
        }
    }

    #[Test]
    public function a_job_over_the_limit_is_refused_and_the_connection_goes_on(): void
    {
        $queue = $this->queue();

        try {
            $queue->pushRaw(str_repeat('x', self::LIMIT + 1));
            self::fail('The server took it.');
        } catch (JobTooBigException) {
            $queue->pushRaw('small');
        }

        self::assertSame('small', self::popped($queue)->getRawBody());
    }

    #[Test]
    public function the_holder_of_a_job_that_runs_out_gets_an_error_at_once(): void
    {
        $queue = $this->queue(['retry_after' => 1]);
        $queue->push('App\\Job@handle');
        self::popped($queue);

        $this->expectException(DeadlineSoonException::class);
        $queue->pop();
    }

    #[Test]
    public function deleting_a_job_of_another_and_ignoring_the_last_tube_are_refused(): void
    {
        $queue = $this->queue();
        $queue->push('App\\Job@handle');
        $held = self::popped($queue);
        $client = $this->client();

        try {
            $client->delete($held->getPheanstalkJob());
            self::fail('Another connection deleted it.');
        } catch (JobNotFoundException) {
            self::assertNull($client->peekBuried());
        }

        $this->expectException(NotIgnoredException::class);
        $client->ignore(new TubeName('default'));
    }

    #[Test]
    public function the_server_tells_its_version_its_limit_and_that_it_writes_no_binlog(): void
    {
        $stats = $this->client()->stats();

        self::assertMatchesRegularExpression('/^\d+\.\d+/', $stats->version);
        self::assertSame([self::LIMIT, 0, false], [$stats->maxJobSize, $stats->binlogCurrentIndex, $stats->draining]);
        self::assertGreaterThan(0, $stats->pid);
    }

    #[Test]
    public function a_server_that_is_not_there_is_an_error_that_names_it(): void
    {
        // A port below the privileged limit that nothing on a test machine listens on.
        $queue = $this->queue(['port' => 9]);

        $this->expectException(ConnectionException::class);
        $queue->push('App\\Job@handle');
    }

    /**
     * Not of the queue's size(): Laravel 11 counts only those that are ready there.
     *
     * @return array{int, int, int} ready, reserved, delayed
     */
    private function counted(): array
    {
        $stats = $this->client()->statsTube(new TubeName($this->tube));

        return [$stats->currentJobsReady, $stats->currentJobsReserved, $stats->currentJobsDelayed];
    }

    private function client(): Pheanstalk
    {
        return Pheanstalk::create('127.0.0.1', $this->port);
    }

    /** @param array<string, int> $config */
    private function queue(array $config = []): BeanstalkdQueue
    {
        $queue = (new BeanstalkdConnector)->connect(
            $config
                + [
                    'host' => '127.0.0.1',
                    'port' => $this->port,
                    'queue' => $this->tube,
                    'retry_after' => 60,
                    'block_for' => 0,
                ],
        );
        self::assertInstanceOf(BeanstalkdQueue::class, $queue);
        $queue->setContainer(new Container);
        $queue->setConnectionName('beanstalkd');

        return $queue;
    }

    private static function popped(BeanstalkdQueue $queue, ?string $name = null): BeanstalkdJob
    {
        $job = $queue->pop($name);
        self::assertInstanceOf(BeanstalkdJob::class, $job);

        return $job;
    }
}
