<?php

declare(strict_types=1);

/*
 * Writes docs/checks.md from the texts in resources/checks. A test compares the result with the committed file.
 */

use Headroom\Dev\Doctor\CheckIndex;

require dirname(__DIR__).'/vendor/autoload.php';

file_put_contents(dirname(__DIR__).'/docs/checks.md', CheckIndex::ofPackage()->markdown());
