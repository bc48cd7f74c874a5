<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor;

use Headroom\Process\Programs;
use PHPUnit\Framework\Assert;
use Symfony\Component\Process\Process;

/**
 * The extension that samples, which not every system has a package of.
 */
final readonly class ExcimerModule
{
    public static function mustBeInstalled(): void
    {
        $modules = new Process([Programs::fpm(), '-m']);
        $modules->mustRun();

        if (preg_match('/^excimer$/m', $modules->getOutput()) !== 1) {
            Assert::markTestSkipped('excimer is not installed: bin/services install fpm');
        }
    }
}
