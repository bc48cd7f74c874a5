<?php

declare(strict_types=1);

/*
 * Writes docs/checks/ from the checks. A test compares the result with the committed files.
 */

use Headroom\Doctor\RulePages;
use Headroom\Doctor\Runner\CheckList;

require dirname(__DIR__).'/vendor/autoload.php';

foreach (RulePages::of(CheckList::all())->files() as $name => $text) {
    file_put_contents(dirname(__DIR__)."/docs/checks/{$name}", $text);
}
