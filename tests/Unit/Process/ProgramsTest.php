<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Process;

use Headroom\Process\Programs;
use Headroom\Process\TemporaryDirectory;
use Headroom\Process\UnableToFindProgram;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class ProgramsTest extends TestCase
{
    protected function tearDown(): void
    {
        putenv('HEADROOM_NGINX');
        putenv('HEADROOM_REDIS_SERVER');
    }

    #[Test]
    public function a_missing_program_is_told_together_with_its_package(): void
    {
        $e = UnableToFindProgram::program(['php-fpm8.2', 'php-fpm'], 'php8.2-fpm');

        self::assertSame('php8.2-fpm', $e->package);

        foreach ([
            'php-fpm8.2', ' php-fpm ', 'PATH', '/usr/sbin', '/usr/local/sbin', 'apt-get install php8.2-fpm',
        ] as $shown) {
            self::assertStringContainsString($shown, $e->getMessage());
        }
    }

    #[Test]
    public function the_environment_may_name_the_program(): void
    {
        putenv('HEADROOM_NGINX=/bin/sh');

        self::assertSame('/bin/sh', Programs::nginx());
    }

    #[Test]
    public function a_server_that_the_environment_names_is_that_one_or_none(): void
    {
        putenv('HEADROOM_REDIS_SERVER=/bin/sh');
        self::assertSame('/bin/sh', Programs::redis());
        putenv('HEADROOM_REDIS_SERVER=/nowhere/valkey-server');

        $this->expectExceptionObject(
            UnableToFindProgram::notExecutable('HEADROOM_REDIS_SERVER', '/nowhere/valkey-server'),
        );
        Programs::redis();
    }

    #[Test]
    public function a_program_that_need_not_be_there_is_null_when_it_is_not(): void
    {
        self::assertNull(Programs::optional('headroom-no-such-program'));
        self::assertNotNull(Programs::optional('sh'));
    }

    #[Test]
    public function a_program_may_lie_in_a_folder_of_its_own(): void
    {
        $folder = TemporaryDirectory::create('programs');
        chmod($folder->write('headroom-no-such-program', "#!/bin/sh\n"), 0o755);

        self::assertSame(
            $folder->file('headroom-no-such-program'),
            Programs::required('headroom-no-such-program', 'none', [$folder->path]),
        );
        $folder->remove();

        $this->expectExceptionObject(UnableToFindProgram::program(
            ['headroom-no-such-program'],
            'none',
            [$folder->path],
        ));
        Programs::required('headroom-no-such-program', 'none', [$folder->path]);
    }
}
