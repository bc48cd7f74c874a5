<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor;

use Headroom\Doctor\Versions\SystemPackages;
use Headroom\Process\Programs;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Acceptance\Host\Needs;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class PackagesTest extends TestCase
{
    #[Test]
    public function a_program_of_the_distribution_is_told_from_a_copy_of_it(): void
    {
        Needs::program('nginx', 'nginx');
        is_file('/etc/debian_version') || self::markTestSkipped('This is no Debian.');
        $nginx = (string) realpath((string) Programs::optional('nginx'));
        $directory = TemporaryDirectory::create('packages');
        copy($nginx, $directory->file('nginx'));

        self::assertSame('debian', SystemPackages::ofThisMachine()->of($nginx)?->product);
        self::assertNull(SystemPackages::ofThisMachine()->of($directory->file('nginx')));
        $directory->remove();
    }
}
