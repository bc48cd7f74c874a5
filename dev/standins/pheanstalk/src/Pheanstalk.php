<?php

declare(strict_types=1);

namespace Pheanstalk;

use Pheanstalk\Contract\JobIdInterface;
use Pheanstalk\Contract\PheanstalkManagerInterface;
use Pheanstalk\Contract\PheanstalkPublisherInterface;
use Pheanstalk\Contract\PheanstalkSubscriberInterface;
use Pheanstalk\Contract\SocketFactoryInterface;
use Pheanstalk\Exception\DeadlineSoonException;
use Pheanstalk\Exception\ExpectedCrlfException;
use Pheanstalk\Exception\JobBuriedException;
use Pheanstalk\Exception\JobNotFoundException;
use Pheanstalk\Exception\JobTooBigException;
use Pheanstalk\Exception\NotIgnoredException;
use Pheanstalk\Exception\ServerDrainingException;
use Pheanstalk\Exception\TimedOutException;
use Pheanstalk\Exception\TubeNotFoundException;
use Pheanstalk\Exception\UnsupportedResponseException;
use Pheanstalk\Values\Figures;
use Pheanstalk\Values\Job;
use Pheanstalk\Values\JobId;
use Pheanstalk\Values\JobStats;
use Pheanstalk\Values\ServerStats;
use Pheanstalk\Values\Timeout;
use Pheanstalk\Values\TubeList;
use Pheanstalk\Values\TubeName;
use Pheanstalk\Values\TubeStats;

/**
 * Every call is one round trip to the server. As in the real package, no state of used or watched tubes is kept here.
 */
final class Pheanstalk implements
    PheanstalkManagerInterface,
    PheanstalkPublisherInterface,
    PheanstalkSubscriberInterface
{
    /** Marks measurements that were made with this package instead of the real one. */
    public const STAND_IN = true;

    public function __construct(private readonly Connection $connection) {}

    public static function create(
        string $host,
        int $port = SocketFactoryInterface::DEFAULT_PORT,
        ?Timeout $connectTimeout = null,
        ?Timeout $receiveTimeout = null,
    ): static {
        return self::createWithFactory(new SocketFactory($host, $port, $connectTimeout, $receiveTimeout));
    }

    public static function createWithFactory(SocketFactoryInterface $factory): static
    {
        return new self(new Connection($factory));
    }

    public function disconnect(): void
    {
        $this->connection->disconnect();
    }

    public function put(
        string $data,
        int $priority = self::DEFAULT_PRIORITY,
        int $delay = self::DEFAULT_DELAY,
        int $timeToRelease = self::DEFAULT_TTR,
    ): JobIdInterface {
        $length = strlen($data);
        $reply = $this->connection->ask("put {$priority} {$delay} {$timeToRelease} {$length}", $data);

        return match ($reply->word) {
            'INSERTED' => new JobId($reply->argument()),
            'BURIED' => throw new JobBuriedException(new JobId($reply->argument())),
            'JOB_TOO_BIG' => throw new JobTooBigException(
                "The job has {$length} bytes, more than the server takes. Its limit is set with beanstalkd -z.",
            ),
            'DRAINING' => throw new ServerDrainingException('The server takes no more jobs (drain mode).'),
            'EXPECTED_CRLF' => throw new ExpectedCrlfException('The server found no line end after the job.'),
            default => throw self::unsupported('put', $reply),
        };
    }

    public function useTube(TubeName $tube): void
    {
        $this->expect('USING', "use {$tube}");
    }

    public function listTubeUsed(): TubeName
    {
        return new TubeName($this->expect('USING', 'list-tube-used')->argument());
    }

    public function watch(TubeName $tube): int
    {
        return $this->expect('WATCHING', "watch {$tube}")->count();
    }

    public function ignore(TubeName $tube): int
    {
        $reply = $this->connection->ask("ignore {$tube}");

        return match ($reply->word) {
            'WATCHING' => $reply->count(),
            'NOT_IGNORED' => throw new NotIgnoredException("{$tube} is the only watched tube."),
            default => throw self::unsupported('ignore', $reply),
        };
    }

    public function listTubesWatched(): TubeList
    {
        return $this->tubes('list-tubes-watched');
    }

    public function listTubes(): TubeList
    {
        return $this->tubes('list-tubes');
    }

    public function reserve(): Job
    {
        return $this->reserved('reserve') ?? throw new TimedOutException('The server gave up waiting for a job.');
    }

    public function reserveWithTimeout(int $timeout): ?Job
    {
        return $this->reserved("reserve-with-timeout {$timeout}");
    }

    public function reserveJob(JobIdInterface $job): Job
    {
        return $this->expectJob('RESERVED', 'reserve-job', $job)->job();
    }

    public function delete(JobIdInterface $job): void
    {
        $this->expectJob('DELETED', 'delete', $job);
    }

    public function release(
        JobIdInterface $job,
        int $priority = PheanstalkPublisherInterface::DEFAULT_PRIORITY,
        int $delay = PheanstalkPublisherInterface::DEFAULT_DELAY,
    ): void {
        $this->expectJob('RELEASED', 'release', $job, " {$priority} {$delay}");
    }

    public function bury(JobIdInterface $job, int $priority = PheanstalkPublisherInterface::DEFAULT_PRIORITY): void
    {
        $this->expectJob('BURIED', 'bury', $job, " {$priority}");
    }

    public function touch(JobIdInterface $job): void
    {
        $this->expectJob('TOUCHED', 'touch', $job);
    }

    public function kick(int $max): int
    {
        return $this->expect('KICKED', "kick {$max}")->count();
    }

    public function kickJob(JobIdInterface $job): void
    {
        $this->expectJob('KICKED', 'kick-job', $job);
    }

    public function pauseTube(TubeName $tube, int $delay): void
    {
        $this->expectTube('PAUSED', "pause-tube {$tube} {$delay}", $tube);
    }

    public function resumeTube(TubeName $tube): void
    {
        $this->pauseTube($tube, 0);
    }

    public function peek(JobIdInterface $job): Job
    {
        return $this->expectJob('FOUND', 'peek', $job)->job();
    }

    public function peekReady(): ?Job
    {
        return $this->peeked('peek-ready');
    }

    public function peekDelayed(): ?Job
    {
        return $this->peeked('peek-delayed');
    }

    public function peekBuried(): ?Job
    {
        return $this->peeked('peek-buried');
    }

    public function statsJob(JobIdInterface $job): JobStats
    {
        return JobStats::from(Figures::of($this->expectJob('OK', 'stats-job', $job)->data));
    }

    public function statsTube(TubeName $tube): TubeStats
    {
        return TubeStats::from(Figures::of($this->expectTube('OK', "stats-tube {$tube}", $tube)->data));
    }

    public function stats(): ServerStats
    {
        return ServerStats::from(Figures::of($this->expect('OK', 'stats')->data));
    }

    private function reserved(string $command): ?Job
    {
        $reply = $this->connection->ask($command);

        return match ($reply->word) {
            'RESERVED' => $reply->job(),
            'TIMED_OUT' => null,
            'DEADLINE_SOON' => throw new DeadlineSoonException(
                'A job that this connection has reserved runs out of time within a second:'
                    .' delete, release or touch it first.',
            ),
            default => throw self::unsupported($command, $reply),
        };
    }

    private function peeked(string $command): ?Job
    {
        $reply = $this->connection->ask($command);

        return match ($reply->word) {
            'FOUND' => $reply->job(),
            'NOT_FOUND' => null,
            default => throw self::unsupported($command, $reply),
        };
    }

    private function tubes(string $command): TubeList
    {
        preg_match_all('/^- "?([^"\r\n]+)/m', $this->expect('OK', $command)->data, $names);

        return new TubeList(...array_map(static fn (string $name): TubeName => new TubeName($name), $names[1]));
    }

    private function expect(string $word, string $command): Reply
    {
        $reply = $this->connection->ask($command);

        return $reply->word === $word ? $reply : throw self::unsupported($command, $reply);
    }

    private function expectTube(string $word, string $command, TubeName $tube): Reply
    {
        $reply = $this->connection->ask($command);

        return match ($reply->word) {
            $word => $reply,
            'NOT_FOUND' => throw new TubeNotFoundException($tube),
            default => throw self::unsupported($command, $reply),
        };
    }

    private function expectJob(string $word, string $verb, JobIdInterface $job, string $arguments = ''): Reply
    {
        $reply = $this->connection->ask("{$verb} {$job->getId()}{$arguments}");

        return match ($reply->word) {
            $word => $reply,
            'NOT_FOUND' => throw new JobNotFoundException(
                "{$verb}: job {$job->getId()} does not exist, or this connection has not reserved it.",
            ),
            default => throw self::unsupported($verb, $reply),
        };
    }

    private static function unsupported(string $command, Reply $reply): UnsupportedResponseException
    {
        return new UnsupportedResponseException("The server answered {$command} with {$reply->word}.");
    }
}
