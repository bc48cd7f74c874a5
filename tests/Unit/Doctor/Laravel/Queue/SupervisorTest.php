<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Laravel\Queue;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Application\QueueWorkers;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Laravel\Queue\Checks\StopTimeoutTooShort;
use Headroom\Doctor\Laravel\Queue\JobClass;
use Headroom\Doctor\Laravel\Queue\JobClasses;
use Headroom\Doctor\Laravel\Queue\SupervisorProgram;
use Headroom\Doctor\Laravel\Queue\SupervisorPrograms;
use Headroom\Doctor\NotApplicable;
use Headroom\Doctor\Status;
use Headroom\Process\Proc;
use Headroom\Tests\Support\DirectoryTestCase;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;

final class SupervisorTest extends DirectoryTestCase
{
    protected function setUp(): void
    {
        parent::setUp();
        mkdir($this->directory->file('etc/supervisor/conf.d'), recursive: true);
        mkdir($this->directory->file('proc'));
        $this->directory->write('artisan', '');
        mkdir($this->directory->file('other'));
        $this->directory->write('other/artisan', '');
        $this->directory->write(
            'etc/supervisor/supervisord.conf',
            "[supervisord]\nnodaemon=true\n\n[include]\nfiles = conf.d/*.conf %(here)s/other/*.ini\n",
        );
    }

    /** @return iterable<string, array{string, Status}> %A% is the path of artisan */
    public static function programs(): iterable
    {
        $work = "command=php %A% queue:work redis --sleep=3 --tries=3 --max-time=3600\n";
        yield 'of the documentation' => ["{$work}autostart=true\nstopwaitsecs=3600\n", Status::Pass];
        yield 'by default' => [$work, Status::Fail];
        yield 'as long as a job' => ["{$work}stopwaitsecs = 60\n", Status::Fail];
        yield 'a second longer' => ["{$work}StopWaitSecs: 61 ; a minute\n", Status::Pass];
        yield 'in a comment' => ["{$work};stopwaitsecs=3600\n", Status::Fail];
        yield 'a limit of its own' => ["command=php %A% queue:work --timeout=300\nstopwaitsecs=61\n", Status::Fail];
        yield 'a limit as a word' => [
            "command=/usr/bin/php8.2 %A% queue:work --timeout 20 redis\nstopwaitsecs=21\n", Status::Pass,
        ];
        yield 'without a limit' => ["command=php %A% queue:work --timeout=0\nstopwaitsecs=900\n", Status::Fail];
        yield 'without a limit, and an hour' => [
            "command=php %A% queue:work --timeout=0\nstopwaitsecs=3600\n", Status::Pass,
        ];
        yield 'in a shell' => [
            "command=bash -c \"cd /srv && exec php %A% queue:work --timeout=90\"\nstopwaitsecs=80\n", Status::Fail,
        ];
        yield 'on lines of its own' => [
            "command=php %A% queue:work redis\n  --tries=3\n  --timeout=90\nstopwaitsecs=80\n", Status::Fail,
        ];
        yield 'Horizon' => ["command=php %A% horizon\n", Status::Fail];
        yield 'Horizon, and it waits' => ["command=php %A% horizon\nstopwaitsecs=901\n", Status::Pass];
        yield 'a class with more' => ["command=php %A% queue:work database\nstopwaitsecs=100\n", Status::Fail];
        yield 'a variable' => [
            "command=php %A% queue:work --timeout=%(ENV_LIMIT)s\nstopwaitsecs=100\n", Status::Unknown,
        ];
        yield 'no number' => ["{$work}stopwaitsecs=1h\n", Status::Unknown];
        yield 'another command of Horizon' => ["command=php %A% horizon:snapshot\n", Status::Skipped];
        yield 'another program' => ["command=php %A% reverb:start\n", Status::Skipped];
        yield 'another application' => ["command=php %D%/other/artisan queue:work\n", Status::Skipped];
    }

    #[Test]
    #[DataProvider('programs')]
    public function supervisor_waits_for_longer_than_a_job_takes(string $lines, Status $status): void
    {
        $file = $this->directory->write(
            'etc/supervisor/conf.d/worker.conf',
            "; of a test\n[program:worker]\n"
                .str_replace(['%A%', '%D%'], [$this->directory->file('artisan'), $this->directory->path], $lines),
        );
        $finding = $this->finding();
        self::assertSame($status, $finding->status, $finding->message);

        if ($status === Status::Fail) {
            $edits = $finding->fix->edits ?? [];
            self::assertCount(1, $edits);
            self::assertSame($file, $this->directory->path.$edits[0]->file);
            file_put_contents($file, $edits[0]->appliedTo((string) file_get_contents($file)));
            self::assertSame(Status::Pass, $this->finding()->status, (string) file_get_contents($file));
        }
    }

    #[Test]
    public function a_machine_without_supervisor_is_told_from_one_that_may_not_be_read(): void
    {
        unlink($this->directory->file('etc/supervisor/supervisord.conf'));

        try {
            $this->read();
            self::fail('There is none.');
        } catch (NotApplicable $e) {
            self::assertStringContainsString('/etc/supervisord.conf', $e->getMessage());
        }

        if (posix_geteuid() !== 0) {
            chmod($this->directory->write('etc/supervisord.conf', ''), 0);
            $this->expectException(FactUnavailable::class);
            $this->read();
        }
    }

    #[Test]
    public function the_file_that_a_running_one_was_started_with_stands_first(): void
    {
        $this->directory->write(
            'srv.conf',
            "[program:a]\ncommand=php artisan queue:work\ndirectory={$this->directory->path}\n",
        );
        mkdir($this->directory->file('proc/9'));
        $this->directory->write('proc/9/stat', '9 (supervisord) S 1 '.str_repeat('0 ', 48));
        $this->directory->write('proc/9/cmdline', "python3\0/usr/bin/supervisord\0-n\0-c\0/srv.conf\0");

        self::assertSame(
            ["{$this->directory->path}/artisan"],
            array_map(static fn (SupervisorProgram $each): string => $each->artisan, $this->read()->programs),
        );
    }

    private function read(): SupervisorPrograms
    {
        return SupervisorPrograms::ofThisMachine($this->directory->path, new Proc($this->directory->file('proc')));
    }

    private function finding(): Finding
    {
        $application = new Application($this->directory->path, '12.0.0', 'production', false, [], [
            'queue' => [
                'default' => 'redis',
                'connections' => ['redis' => ['driver' => 'redis'], 'database' => ['driver' => 'database']],
            ],
            'horizon' => [
                'defaults' => ['one' => ['connection' => 'redis', 'timeout' => 900]],
                'environments' => ['production' => ['one' => []]],
            ],
        ]);

        return [...(new StopTimeoutTooShort)->examine(new Facts([
            Application::class => static fn (): Application => $application,
            SupervisorPrograms::class => fn (): SupervisorPrograms => $this->read(),
            QueueWorkers::class => static fn (): QueueWorkers => new QueueWorkers([]),
            JobClasses::class => static fn (): JobClasses
                => new JobClasses([new JobClass('Import', 120, 'database', 'app/Jobs/Import.php:3')]),
        ]))][0];
    }
}
