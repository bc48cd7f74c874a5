<?php

declare(strict_types=1);

// Rewords the sentences in a copy of src/: `php dev/reword.php DIRECTORY`. A test that fails in such a copy asserts on
// wording.

const WORDS = [
    'the', 'an', 'of', 'that', 'this', 'which', 'its', 'it', 'they', 'there', 'has', 'have', 'was', 'were', 'are',
    'be', 'been', 'will', 'cannot', 'nothing', 'no', 'only', 'than',
];

$root = $argv[1] ?? exit("usage: php dev/reword.php DIRECTORY\n");
$files = new RecursiveIteratorIterator(new RecursiveDirectoryIterator($root, FilesystemIterator::SKIP_DOTS));
$reworded = 0;

foreach ($files as $file) {
    if (! $file instanceof SplFileInfo || $file->getExtension() !== 'php') {
        continue;
    }

    $text = '';

    foreach (PhpToken::tokenize((string) file_get_contents($file->getPathname())) as $token) {
        $new = $token->text;

        if ($token->is([T_CONSTANT_ENCAPSED_STRING, T_ENCAPSED_AND_WHITESPACE])) {
            $new = preg_replace_callback(
                '/(?<![\w\'"-])('.implode('|', WORDS).')(?= )/i',
                static fn (array $match): string => $match[1].'_',
                $new,
            );
            $reworded += $new === $token->text ? 0 : 1;
        }

        $text .= $new;
    }

    file_put_contents($file->getPathname(), $text);
}

echo "{$reworded} literals reworded.\n";
