<?php

declare(strict_types=1);

return [
    'title' => 'From the workshop',
    'comments' => '{0} No comments|{1} One comment|[2,*] :count comments',
];
